import LosslessJSON

/// A value as the text that will be written, and as it will read back from that text.
struct EncodedValue<Value: SettingValue> {
    let text: JSONDocument
    let value: Value

    /// Encodes `value`, reads it back and checks it against the rules of `key` and of the key that `cell` was made with.
    ///
    /// Throws ``SettingsError/invalidValue``. Runs code of the user.
    init(_ value: Value, for key: SettingKey<Value>, in cell: SettingCell<Value>) throws(SettingsError) {
        do {
            text = try JSONDocument(try value.jsonText(), options: .strict)
            guard let root = text.root else {
                throw SettingValueError(expected: "one JSON value", found: "none written by \(Value.self)")
            }
            self.value = try Value.read(from: SettingReader(root))
        } catch let error as SettingValueError {
            throw SettingsError(.invalidValue, "\(key.name): " + error.message(quoting: !key.isSecret), key: key.name)
        } catch {
            let detail = key.isSecret ? "it cannot be written as JSON" : "\(error)"
            throw SettingsError(.invalidValue, "\(key.name): \(detail)", key: key.name)
        }
        try check(key)
        if cell.key !== key { try check(cell.key) }
    }

    private func check(_ key: SettingKey<Value>) throws(SettingsError) {
        do throws(SettingRules<Value>.Refusal) { try key.rules.check(value) } catch {
            let found = key.isSecret ? "" : ", found \(value)"
            let expected = error.expectation(quoting: !key.isSecret)
            throw SettingsError(.invalidValue, "\(key.name): expected \(expected)\(found)", key: key.name)
        }
    }
}
