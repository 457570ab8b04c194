import TestSupport
import Testing

@testable import FileWatching

@Suite struct SignalMailboxTests {
    @Test func `signals that nobody has taken are one`() async throws {
        let mailbox = SignalMailbox()
        for _ in 0..<100 { mailbox.post() }
        let count = try await within {
            var count = 0
            for await _ in mailbox.signals {
                count += 1
                mailbox.finish()
            }
            return count
        }
        #expect(count == 1)
    }

    @Test func `a signal that waited is not given after the end`() async throws {
        let mailbox = SignalMailbox()
        mailbox.post()
        mailbox.finish()
        mailbox.post()
        try await within { for await _ in mailbox.signals { Issue.record("a signal after the end") } }
    }

    @Test func `a waiting consumer gets the next signal, and the end`() async throws {
        let mailbox = SignalMailbox()
        let task = Task {
            var count = 0
            for await _ in mailbox.signals { count += 1 }
            return count
        }
        mailbox.post()
        // Taken before the end is posted: else it would be withdrawn.
        try await eventually { !mailbox.isPending }
        mailbox.finish()
        let count = try await within { await task.value }
        #expect(count == 1)
    }
}
