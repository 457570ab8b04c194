import Locking

extension SettingsStore {
    /// Sets `key` to `value`.
    ///
    /// Returns when the new text has replaced the old one and is on the disk; readers and streams see the value then. An
    /// equal value in the file is left as it is, and nothing is written.
    ///
    /// It may be called from everywhere and suspends; the work is done on a thread of the store. Writes that wait
    /// together share one replacement of the file, whose syncs are most of the cost.
    ///
    /// A task that is cancelled while its write waits withdraws it and throws `CancellationError`; a write that has been
    /// begun is finished.
    ///
    /// - Throws: ``SettingsError``: `invalidValue` when the key refuses the value, `invalidKeys` when the key cannot be
    ///   used with this store, `notAnObject` when its path leads through another value, `fileUnusable` while the file
    ///   holds an edit that cannot be used, `tooLarge`, `closed`, `lockTimedOut`, `contended`, or what the system
    ///   refused. Nothing is changed then, except with `durabilityUnknown`, when the write is made and visible.
    public nonisolated func set<Value: SettingValue>(_ key: SettingKey<Value>, to value: Value) async throws {
        try await update { transaction throws in try transaction.set(key, to: value) }
    }

    /// Shows `value` at once and has it written in the background. See the subscript.
    nonisolated func assign<Value: SettingValue>(_ value: Value, to key: SettingKey<Value>) {
        // A key that cannot be used has its problem published already.
        guard let cell = publication.cell(for: key) else { return }
        do throws(SettingsError) {
            let encoded = try EncodedValue(value, for: key, in: cell)
            if publication.assign(encoded.value, text: encoded.text, to: cell) { scheduleServing() }
        } catch {
            let problem = SettingsProblem(
                kind: .refused, message: "assignment refused: \(error.message)", key: key.name)
            publication.publish(problems: [.assignment(key.name): problem]) { subject, _ in
                subject == .assignment(key.name)
            }
        }
    }

    /// Removes what is set for `key`, so that its default counts again.
    ///
    /// As ``set(_:to:)`` otherwise. Nothing is written when nothing is set.
    public nonisolated func reset<Value: SettingValue>(_ key: SettingKey<Value>) async throws {
        try await update { transaction throws in try transaction.reset(key) }
    }

    /// Makes several changes as one: all or none, with one write and one revision.
    ///
    /// ```swift
    /// let port = try await settings.update {
    ///     $0[.port] += 1
    ///     $0[.level] = .info
    ///     return $0[.port]
    /// }
    /// ```
    ///
    /// `body` runs on a thread of the store while the file is locked, so that what it reads is what other processes wrote
    /// last. It may run more than once, when others change the file meanwhile, and should be pure; the last run counts. It
    /// may read the store; waiting inside it for another write of the same store blocks until the lock's deadline.
    ///
    /// - Returns: what the last run of `body` returned, when the changes are durable.
    /// - Throws: what `body` throws, and as ``set(_:to:)``. Nothing is changed then.
    public nonisolated func update<Result: Sendable>(
        _ body: @escaping @Sendable (inout SettingsTransaction) throws -> Result
    ) async throws -> Result {
        let result = LastResult<Result>()
        try await commit(PendingTransaction { transaction in result.set(try body(&transaction)) })
        guard let value = result.value else { throw SettingsError(.closed, "the transaction was not run") }
        return value
    }

    /// Waits until `transaction` is durable, or withdraws it when the task is cancelled before it is taken.
    private nonisolated func commit(_ transaction: PendingTransaction) async throws {
        let publication = publication
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                submit(waiter) { state in
                    if transaction.state == .withdrawn { throw CancellationError() }
                    transaction.waiter = waiter
                    return .transaction(transaction)
                }
            }
        } onCancel: {
            let waiter = publication.state.withLock { state -> CheckedContinuation<Void, any Error>? in
                guard transaction.state == .waiting else { return nil }
                transaction.state = .withdrawn
                state.journal.remove(transaction)
                defer { transaction.waiter = nil }
                return transaction.waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Waits until all that was written and assigned before is durable, or has failed. Writes nothing by itself.
    ///
    /// - Throws: ``SettingsError``: once, why an assignment since the last time could not be written; or `closed`.
    public nonisolated func flush() async throws { try await wait { .flush($0) } }

    /// Looks at the file now and waits until what it holds is published. Watching does this by itself; a signal handler
    /// may want to do it too. It suspends while writes that came before are served; a file that is being written is
    /// waited for, within bounds.
    ///
    /// - Throws: ``SettingsError``: `fileUnusable` when the file cannot be used (the last good values stay), `closed`.
    public nonisolated func reload() async throws { try await wait { .reload($0) } }

    /// Ends the store: serves what is queued, ends the streams and stops watching.
    ///
    /// It suspends until all of that is done. Calls made afterwards throw ``SettingsError/closed``, reads keep the last
    /// values, and new streams are ended ones.
    /// Closing again does nothing and does not throw.
    ///
    /// - Throws: ``SettingsError``, after all of this: why an assignment could not be written, if ``flush()`` has not said
    ///   so already.
    public nonisolated func close() async throws {
        do { try await wait(closing: true) { .close($0) } } catch SettingsError.closed {}
    }

    /// Serves until the task is cancelled, then closes: the shape that service lifecycles expect.
    ///
    /// - Throws: as ``close()``.
    public nonisolated func run() async throws {
        // The stream ends when the task is cancelled, and when somebody else closes the store.
        for await _ in changes() {}
        try await close()
    }

    private nonisolated func wait(
        closing: Bool = false, for item: @Sendable (CheckedContinuation<Void, any Error>) -> Journal.Item
    ) async throws {
        try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
            submit(waiter) { state in
                if closing { state.isClosed = true }
                return item(waiter)
            }
        }
    }

    /// Puts what `makeItem` gives into the journal, or resumes `waiter` with why not. Whether the store is closed and what
    /// is put in are one step, so nothing comes behind the end.
    private nonisolated func submit(
        _ waiter: CheckedContinuation<Void, any Error>, _ makeItem: (inout Publication.State) throws -> Journal.Item
    ) {
        var mustServe = false
        do {
            try publication.state.withLock { state in
                if state.isClosed { throw SettingsError.closedStore }
                let item = try makeItem(&state)
                mustServe = state.journal.append(item)
            }
        } catch {
            waiter.resume(throwing: error)
        }
        if mustServe { startServing() }
    }
}

extension SettingsError {
    static let closedStore = SettingsError(.closed, "the settings store is closed")
}
