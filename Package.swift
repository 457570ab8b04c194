// swift-tools-version: 6.2
import PackageDescription

let checked: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
// Where unsafe code is the exception, each use must say so.
let memoryChecked = checked + [.strictMemorySafety()]

let package = Package(
    name: "Rheostat",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Rheostat", targets: ["Rheostat"]),
        .library(name: "RheostatTesting", targets: ["RheostatTesting"]),
        .executable(name: "rheostat", targets: ["RheostatCommand"]),
    ],
    targets: [
        .target(name: "Locking", swiftSettings: checked),
        .target(name: "LinuxCalls"),
        .target(name: "LosslessJSON", swiftSettings: checked),
        .target(name: "SystemCalls", dependencies: ["LinuxCalls"], swiftSettings: checked),
        .target(
            name: "DurableFiles", dependencies: ["LinuxCalls", "Locking", "SystemCalls"], swiftSettings: checked),
        .target(
            name: "FileWatching", dependencies: ["LinuxCalls", "Locking", "SystemCalls"], swiftSettings: checked),
        .target(
            name: "Rheostat",
            dependencies: ["DurableFiles", "FileWatching", "Locking", "LosslessJSON", "SystemCalls"],
            swiftSettings: memoryChecked),
        .target(name: "RheostatTesting", dependencies: ["Locking", "Rheostat"], swiftSettings: memoryChecked),
        .executableTarget(name: "RheostatCommand", dependencies: ["Rheostat"], swiftSettings: memoryChecked),

        .executableTarget(
            name: "AwaitChanges", dependencies: ["Rheostat"], path: "Examples/AwaitChanges",
            swiftSettings: memoryChecked),
        .executableTarget(
            name: "HotReload", dependencies: ["Rheostat"], path: "Examples/HotReload", swiftSettings: memoryChecked),
        .executableTarget(
            name: "Benchmarks", dependencies: ["Rheostat"], path: "Benchmarks", swiftSettings: checked),

        .target(name: "TestSupport", dependencies: ["Locking"], path: "Tests/TestSupport", swiftSettings: checked),
        .testTarget(name: "LockingTests", dependencies: ["Locking", "TestSupport"], swiftSettings: checked),
        .testTarget(name: "SystemCallsTests", dependencies: ["SystemCalls", "TestSupport"], swiftSettings: checked),
        .testTarget(name: "LosslessJSONTests", dependencies: ["LosslessJSON", "TestSupport"], swiftSettings: checked),
        .testTarget(
            name: "DurableFilesTests", dependencies: ["DurableFiles", "SystemCalls", "TestSupport"],
            swiftSettings: checked),
        .testTarget(
            name: "FileWatchingTests", dependencies: ["FileWatching", "SystemCalls", "TestSupport"],
            swiftSettings: checked),
        .testTarget(
            name: "RheostatTests", dependencies: ["Locking", "Rheostat", "RheostatTesting", "TestSupport"],
            swiftSettings: checked),
        .testTarget(
            name: "RheostatTestingTests", dependencies: ["Rheostat", "RheostatTesting", "TestSupport"],
            swiftSettings: checked),
        .testTarget(
            name: "RheostatCommandTests", dependencies: ["RheostatCommand", "TestSupport"], swiftSettings: checked),
        .testTarget(
            name: "Scenarios", dependencies: ["Rheostat", "RheostatCommand", "TestSupport"], swiftSettings: checked),
    ],
    swiftLanguageModes: [.v6]
)
