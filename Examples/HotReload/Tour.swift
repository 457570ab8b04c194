import Rheostat

/// What the example shows, step by step: each one does something, waits for what must come of it, and prints it.
struct Tour {
    private let directory: WorkDirectory
    private let settings: SettingsStore
    private let server: GreetingServer
    private let client: Client
    private let shell: ShellProcess
    private var events: AsyncStream<Event>.Iterator
    private var number = 0

    /// Opens the settings in `directory` and starts the service.
    init(in directory: WorkDirectory) async throws {
        self.directory = directory
        settings = try await SettingsStore.open(.file(directory.file), keys: ServiceSettings.keys)
        events = Events.of(settings).makeAsyncIterator()
        server = try GreetingServer(settings: settings)
        client = Client(port: server.port)
        shell = ShellProcess(directory: directory.path)
    }

    /// Shows everything, and closes the store.
    mutating func run() async throws {
        say("A service on 127.0.0.1:\(server.port) follows the file \(directory.file) while it serves:")
        say()
        try showFile()
        try await editsByOthers()
        try await editsThatCannotBeUsed()
        try await writesByTheProgram()
        try await end()
    }

    // MARK: The steps

    private mutating func editsByOthers() async throws {
        step("The service answers as the file says.")
        try await ask()

        step("Another process edits the file with sed, which puts a new file in its place.")
        try await edit("sed -i 's/Hello/Good morning/' service.json")
        try await expect(1)
        try await ask()

        step("Another process overwrites the file in place. From now on the service logs each request.")
        try await edit(#"new=$(sed 's/"info"/"debug"/' service.json); printf '%s\n' "$new" > service.json"#)
        try await expect(1)
        try await ask()

        step("Another process moves a new file over it. One connection is held open, so the next one is too many.")
        try await edit(#"sed 's/"connections": 2/"connections": 1/' service.json > new && mv new service.json"#)
        try await expect(1)
        let held = try await client.hold()
        try await ask()
        try await client.release(held)
        try await ask()
    }

    private mutating func editsThatCannotBeUsed() async throws {
        step("A malformed edit never reaches the service: the last good values stay.")
        try await edit(#"sed -i 's/"Good morning",/"Good evening"/' service.json"#)
        try await expect(1)
        try await ask()
        say("   The program cannot write now, since that would destroy somebody's edit:")
        try await refused { settings in try await settings.set(.greeting, to: "Welcome") }

        step("The mended edit is taken.")
        try await edit(#"sed -i 's/"Good evening"/"Good evening",/' service.json"#)
        try await expect(2)
        try await ask()

        step("An edit that breaks a key's rule is refused as a whole, its good part too; and mended.")
        let broken = #"s/evening/night/; s/"connections": 1/"connections": 0/"#
        try await edit("sed -i '\(broken)' service.json")
        try await expect(1)
        try await ask()
        try await edit(#"sed -i 's/"connections": 0/"connections": 3/' service.json"#)
        try await expect(3)
    }

    private mutating func writesByTheProgram() async throws {
        step("The program sets a value. When set returns, the value is on the disk; comments and layout are kept.")
        say(#"   settings.set(.greeting, to: "Welcome")"#)
        try await settings.set(.greeting, to: "Welcome")
        try await expect(1)
        try showFile()
        try await ask()

        step("The program changes two settings in one transaction: one write, one revision.")
        say("   settings.update { $0[.connectionLimit] += 4; $0[.logLevel] = .warning }")
        try await settings.update {
            $0[.connectionLimit] += 4
            $0[.logLevel] = .warning
        }
        try await expect(2)
        try await ask()
        say("   limits.connections is \(settings[.connectionLimit]), from \(settings.source(of: .connectionLimit))")
    }

    private mutating func end() async throws {
        step("The store is closed: streams end, values stay readable, writes throw.")
        server.stop()
        try await settings.close()
        guard await events.next(isolation: #isolation) == nil else { throw Unexpected(what: "an event after the end") }
        say("   settings[.greeting] is \(settings[.greeting].debugDescription)")
        try await refused { settings in try await settings.set(.greeting, to: "Goodbye") }
    }

    // MARK: What they do

    private mutating func step(_ title: String) {
        number += 1
        say()
        say("\(number). \(title)")
    }

    private func edit(_ script: String) async throws {
        say("   $ \(script)")
        try await shell.run(script)
    }

    /// Waits for `count` events and prints them. Events of several streams have no order among each other.
    private mutating func expect(_ count: Int) async throws {
        var lines: [String] = []
        while lines.count < count {
            guard let event = await events.next(isolation: #isolation) else {
                throw Unexpected(what: "the end of the events")
            }
            lines.append(event.description)
        }
        for line in lines.sorted() { say(line) }
    }

    private func ask() async throws {
        say("   GET /          \(try await client.get())")
    }

    private func refused(_ write: (SettingsStore) async throws -> Void) async throws {
        do {
            try await write(settings)
        } catch let error as SettingsError {
            return say("   throws         \(error.code): \(error)")
        }
        throw Unexpected(what: "a write that should have been refused")
    }

    private func showFile() throws {
        for line in try directory.text().split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            say("      \(line)")
        }
    }

    struct Unexpected: Error, CustomStringConvertible {
        let what: String
        var description: String { "came unexpectedly: \(what)" }
    }
}
