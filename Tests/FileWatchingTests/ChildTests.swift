import Foundation
import TestSupport
import Testing

/// Runs a suite of this very test executable in another process, as another user or in a mount namespace of its own.
enum ChildTests {
    enum Setting: String {
        case nobody, mounts, alone

        /// The words before the command.
        var prefix: String {
            switch self {
            case .nobody:
                geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : "env"
            case .alone: "env"
            case .mounts: "unshare --mount --propagation private"
            }
        }
    }

    private static let variable = "RHEOSTAT_CHILD_TESTS"

    /// What this process was started for; nil in the one that runs all tests.
    static var current: Setting? {
        ProcessInfo.processInfo.environment[variable].flatMap(Setting.init(rawValue:))
    }

    /// Runs the suite `name` and passes its scenario lines on; throws when a test failed or none ran.
    static func run(_ name: String, as setting: Setting) async throws {
        // A child never has children: its filter may match more than was meant.
        guard current == nil else { return }
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let output = try await Shell.run(
            "exec \(setting.prefix) '\(executable)' --filter 'FileWatchingTests\\.\(name)/' --testing-library swift-testing",
            in: "/", environment: [variable: setting.rawValue])
        let lines = output.split(separator: "\n").filter { $0.contains("scenario ") }
        for line in lines { print(line) }
        if lines.isEmpty || lines.contains(where: { $0.contains("WRONG") }) {
            throw Shell.Failed(command: name, output: output)
        }
    }

    static var canMakeMountNamespaces: Bool { geteuid() == 0 && Shell.has("unshare") && Shell.has("mount") }
}
