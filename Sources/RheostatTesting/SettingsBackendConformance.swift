public import Rheostat

/// The checks that every ``SettingsBackend`` must pass, for whoever writes one.
///
/// A check is a function with a name that throws a ``ConformanceFailure``. With Swift Testing they make one test:
///
/// ```swift
/// @Suite struct CloudBackendTests {
///     static let conformance = SettingsBackendConformance {
///         let server = try await TestServer.start()
///         return SettingsBackendConformance.Place(
///             open: { CloudBackend(server.address) },
///             edit: { try await server.put($0) },
///             text: { try await server.get() })
///     }
///
///     @Test(arguments: conformance.checks)
///     func `keeps the contract`(_ check: SettingsBackendConformance.Check) async throws { try await check.run() }
/// }
/// ```
///
/// With anything else, `try await conformance.run()` runs them all. Each check has a place of its own, opens one or two
/// backends on it as stores do, each on a thread of its own, and closes them. They can run at the same time.
public struct SettingsBackendConformance: Sendable {
    /// Where a text can be kept, without one at first, as the world sees it beside the backends.
    public struct Place: Sendable {
        let open: @Sendable () async throws -> any SettingsBackend
        let edit: @Sendable ([UInt8]?) async throws -> Void
        let text: @Sendable () async throws -> [UInt8]?
        let tearDown: @Sendable () async throws -> Void

        /// Describes a place.
        ///
        /// - Parameters:
        ///   - open: makes a backend on it; a second one may be asked for while the first is open.
        ///   - edit: somebody who knows nothing of backends replaces the text; `nil` removes it.
        ///   - text: what is there, read without a backend; `nil` when nothing is.
        ///   - tearDown: called when the check has ended and its backends are closed.
        public init(
            open: @escaping @Sendable () async throws -> any SettingsBackend,
            edit: @escaping @Sendable (_ text: [UInt8]?) async throws -> Void,
            text: @escaping @Sendable () async throws -> [UInt8]?,
            tearDown: @escaping @Sendable () async throws -> Void = {}
        ) {
            self.open = open
            self.edit = edit
            self.text = text
            self.tearDown = tearDown
        }
    }

    /// What the checks go by.
    public struct Options: Sendable {
        /// How long a signal, an event or the end of a stream may take.
        public var waitLimit = Duration.seconds(20)
        /// How long one check may take.
        public var checkLimit = Duration.seconds(120)
        /// The size of the largest text, in bytes.
        public var largeTextSize = 1 << 20
        /// How many commits each of two backends makes against the other.
        public var increments = 200
        /// How many edits are made while nobody takes the signals.
        public var unheardEdits = 100
        /// Whether somebody can edit the text while a commit is under way. Not so where all must take the backend's lock.
        public var editsDuringCommit = true
        /// Whether somebody can remove the text.
        public var canBeRemoved = true

        /// The usual ones.
        public init() {}
    }

    /// One check.
    public struct Check: Sendable, Identifiable, CustomStringConvertible {
        /// What holds when the check passes, in words. It identifies the check.
        public let name: String
        let suite: SettingsBackendConformance
        let body: @Sendable (ConformanceScene) async throws -> Void

        /// The name.
        public var id: String { name }

        /// The name.
        public var description: String { name }

        /// Runs the check at a new place.
        ///
        /// - Throws: ``ConformanceFailure``, or what the backend or the place threw where it must not.
        public func run() async throws {
            let name = name
            let body = body
            let suite = suite
            // In a task of its own, that is left behind when the backend never returns.
            let outcome = Watched<Result<Void, any Error>?>(nil)
            let task = Task {
                let result: Result<Void, any Error>
                do {
                    try await suite.withScene(name, body)
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                outcome.update { $0 = result }
            }
            do {
                try await outcome.wait(within: suite.options.checkLimit) {
                    $0 != nil
                } complaint: { _ in
                    "the check did not end"
                }
            } catch let timeout as WaitTimeout {
                task.cancel()
                throw ConformanceFailure(check: name, expectation: "the check to end", found: timeout.description)
            }
            try outcome.value?.get()
        }
    }

    private let makePlace: @Sendable () async throws -> Place
    let options: Options

    /// Makes the suite of a backend.
    ///
    /// - Parameters:
    ///   - options: what the checks go by.
    ///   - makePlace: makes a new place, where nothing was ever written, for each check.
    public init(options: Options = Options(), makePlace: @escaping @Sendable () async throws -> Place) {
        self.options = options
        self.makePlace = makePlace
    }

    /// All checks that apply, in an order in which the first to fail tells most.
    public var checks: [Check] { textChecks + rivalChecks + signalChecks + storeChecks }

    /// Runs all checks, one after the other.
    ///
    /// - Throws: ``ConformanceFailures`` with all that failed.
    public func run() async throws {
        var failures: [ConformanceFailure] = []
        for check in checks {
            do {
                try await check.run()
            } catch let failure as ConformanceFailure {
                failures.append(failure)
            } catch {
                failures.append(
                    ConformanceFailure(check: check.name, expectation: "no error", found: String(describing: error)))
            }
        }
        if !failures.isEmpty { throw ConformanceFailures(failures: failures) }
    }

    func check(_ name: String, _ body: @escaping @Sendable (ConformanceScene) async throws -> Void) -> Check {
        Check(name: name, suite: self, body: body)
    }

    private func withScene(
        _ name: String, _ body: @Sendable (ConformanceScene) async throws -> Void
    ) async throws {
        let scene = ConformanceScene(check: name, place: try await makePlace(), options: options)
        do {
            try await body(scene)
        } catch {
            await scene.closeAll()
            try await scene.place.tearDown()
            throw error
        }
        await scene.closeAll()
        try await scene.place.tearDown()
    }
}

/// A backend does not do what a check expects.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The name of the check.
    public let check: String
    /// What was expected.
    public let expectation: String
    /// What was found instead.
    public let found: String

    /// The three in one line.
    public var description: String { "\(check): expected \(expectation), found \(found)" }
}

/// All checks of a suite that failed.
public struct ConformanceFailures: Error, Sendable, CustomStringConvertible {
    /// One for each check.
    public let failures: [ConformanceFailure]

    /// One a line.
    public var description: String {
        "\(failures.count) checks failed:\n" + failures.map { "  \($0)" }.joined(separator: "\n")
    }
}
