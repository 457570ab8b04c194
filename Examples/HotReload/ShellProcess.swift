#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Another process: a shell that runs one script.
struct ShellProcess: Sendable {
    /// Where the script runs.
    let directory: String

    /// Runs `script` and returns when it has ended; throws ``Failure`` unless it succeeded.
    func run(_ script: String) async throws {
        let directory = directory
        try await offThePool {
            let process = try Self.spawn(["/bin/sh", "-c", #"cd "$1" && eval "$2""#, "sh", directory, script])
            let status = try Self.wait(for: process)
            guard status == 0 else { throw Failure(script: script, status: status) }
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let script: String
        let status: Int32
        var description: String { "\(script): ended with the wait status \(status)" }
    }

    private static func spawn(_ arguments: [String]) throws -> pid_t {
        var process = pid_t()
        // Sound: the arrays end with nil as the call wants it, and their texts live until it has returned.
        var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let variables = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"]
        var environment = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe argv.forEach { unsafe free($0) }
            unsafe environment.forEach { unsafe free($0) }
        }
        let code = unsafe posix_spawn(&process, arguments[0], nil, nil, &argv, &environment)
        guard code == 0 else { throw CallFailure("posix_spawn", code: code) }
        return process
    }

    private static func wait(for process: pid_t) throws -> Int32 {
        var status: Int32 = 0
        // Sound: `status` lives during the call.
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw CallFailure("waitpid") }
        }
        return status
    }
}
