import Rheostat

enum LogLevel: String, SettingValue, CaseIterable { case debug, info, warning, error }

/// Raw-valued and `Codable`: the raw value is the stored form.
enum Flavour: Int, Codable, SettingValue { case plain = 1, salted = 2 }

struct Limits: Codable, SettingValue {
    var connections = 100
    var burst: Int?
    var hosts: [String] = []
}

extension SettingKeys {
    static let port = SettingKey("server.port", default: 8080, in: 1...65_535, "TCP port to listen on")
    static let host = SettingKey("server.host", default: "localhost")
    static let level = SettingKey("log.level", default: LogLevel.info)
    static let proxy = SettingKey<String?>("server.proxy")
    static let token = SettingKey<String?>("api.token", secret: true)
    static let ratio = SettingKey("ratio", default: 0.5)
    static let ready = SettingKey("ready", default: false)
    static let limits = SettingKey("limits", default: Limits())
    static let tags = SettingKey("tags", default: [String]())
    static let weights = SettingKey("weights", default: [String: Int]())
}
