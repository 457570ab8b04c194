import Foundation
import Rheostat

/// A value of several members, as a program keeps them together.
struct RetryPlan: Codable, SettingValue {
    var attempts = 3
    var factor = 2.0
    var label = "default"
    var hosts = ["localhost"]
}

extension SettingKeys {
    static let staticPort = SettingKey("server.port", default: 8080, in: 1...65_535, "TCP port to listen on")
    static let counter = SettingKey("writer.counter", default: 0)
}

/// A thousand settings of each kind, three levels deep, in a store without a file.
struct ReadSamples {
    let settings: SettingsStore
    let integers: [SettingKey<Int>]
    let shortTexts: [SettingKey<String>]
    let longTexts: [SettingKey<String>]
    let plans: [SettingKey<RetryPlan>]
    let integerValues: [String: Int]
    let textValues: [String: String]

    static let count = 1_000

    init() async throws {
        let areas = "server client storage metrics queue cache search billing email scheduler".split(separator: " ")
        let parts = "pool limits retry timeout batch session log index rate shard".split(separator: " ")
        let leaves = "size maximum minimum interval window depth budget threshold weight share".split(separator: " ")
        func names(_ kind: String) -> [String] {
            (0..<Self.count).map {
                "\(areas[$0 / 100]).\(parts[$0 / 10 % 10]).\(kind.isEmpty ? "" : kind + ".")\(leaves[$0 % 10])"
            }
        }
        let integerNames = names("")
        let shortNames = names("names")
        let longNames = names("addresses")
        let planNames = names("plans")

        var values: [String: Any] = ["server.port": 9_090]
        var integerValues: [String: Int] = [:]
        var textValues: [String: String] = [:]
        for index in 0..<Self.count {
            integerValues[integerNames[index]] = index + 1
            textValues[shortNames[index]] = "name-\(index)"
            textValues[longNames[index]] = "https://host-\(index).example.com:8443/path"
            values[planNames[index]] = [
                "attempts": index, "factor": 1.5, "label": "plan number \(index) of them all", "hosts": ["a", "b"],
            ]
        }
        values.merge(integerValues) { $1 }
        values.merge(textValues) { $1 }
        let text = try JSONSerialization.data(withJSONObject: values, options: [.sortedKeys])

        integers = integerNames.map { SettingKey($0, default: 0) }
        shortTexts = shortNames.map { SettingKey($0, default: "") }
        longTexts = longNames.map { SettingKey($0, default: "") }
        plans = planNames.map { SettingKey($0, default: RetryPlan()) }
        self.integerValues = integerValues
        self.textValues = textValues
        settings = try await SettingsStore.open(
            .backend(MemoryBackend(String(decoding: text, as: UTF8.self))),
            keys: [.staticPort, .counter] + integers + shortTexts + longTexts + plans)
    }

    /// The names of the integers, in the order of the keys.
    var integerNames: [String] { integers.map(\.name) }
}
