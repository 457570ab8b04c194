// Test aids.
