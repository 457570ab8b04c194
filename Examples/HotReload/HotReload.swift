import Rheostat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A service whose greeting, log level and connection limit follow a settings file while it serves.
///
/// Without arguments it makes a settings file in a directory of its own, has other processes edit it, shows what the
/// service makes of each edit, and ends by itself. With the path of a file it follows that file until it is interrupted:
/// edit it with what you like and ask the service with `curl`.
@main
struct HotReload {
    static func main() async {
        do {
            switch CommandLine.arguments.dropFirst().first {
            case nil: try await showTour()
            case "--help", "-h": say("usage: HotReload [FILE]")
            case .some(let path): try await follow(path)
            }
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    /// Everything the example shows, in a directory that is removed at the end.
    private static func showTour() async throws {
        let directory = try WorkDirectory()
        Watchdog.start(seconds: 30, leaving: directory.path)
        do {
            try directory.makeFile(ServiceSettings.firstText)
            var tour = try await Tour(in: directory)
            try await tour.run()
            try directory.remove()
        } catch {
            complain("the files are left in \(directory.path)")
            throw error
        }
    }

    /// Serves by the settings of the file at `path` and says what changes there.
    private static func follow(_ path: String) async throws {
        let settings = try await SettingsStore.open(.file(path), keys: ServiceSettings.keys)
        let server = try GreetingServer(settings: settings)
        say("Serving by \(path): edit it, and try  curl http://127.0.0.1:\(server.port)/  (Ctrl-C ends)")
        for await event in Events.of(settings) { say(event.description) }
        server.stop()
    }
}
