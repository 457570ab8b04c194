import Foundation

/// Where the figures come from.
struct Machine: Codable {
    let processor: String
    let cores: Int
    let kernel: String
    let toolchain: String
    let commit: String?
    let date: String

    static var current: Machine {
        Machine(
            processor: processorName, cores: ProcessInfo.processInfo.activeProcessorCount, kernel: kernelName,
            toolchain: output(of: "swiftc", ["--version"])?.split(separator: "\n").first.map(String.init) ?? "unknown",
            commit: commitName, date: ISO8601DateFormatter().string(from: Date()))
    }

    var summary: String { "\(processor), \(cores) cores, \(kernel)" }

    private static var processorName: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("model name") || $0.hasPrefix("Model") }
        return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    }

    private static var kernelName: String {
        let release = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
        let name = ProcessInfo.processInfo.operatingSystemVersionString
        return release.isEmpty ? name : "Linux " + release.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The commit, marked when the work tree differs from it.
    private static var commitName: String? {
        guard let commit = output(of: "git", ["rev-parse", "--short", "HEAD"]) else { return nil }
        let isClean = output(of: "git", ["status", "--porcelain", "--untracked-files=no"]) == ""
        return commit + (isClean ? "" : " with changes")
    }

    private static func output(of command: String, _ arguments: [String]) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
