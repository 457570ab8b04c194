import Rheostat

/// The settings of a service that others wait for.
extension SettingKeys {
    static let ready = SettingKey("service.ready", default: false, "Whether requests are answered")
    static let host = SettingKey("service.host", default: "localhost", "The address to listen on")
    static let port = SettingKey("service.port", default: 8080, in: 1...65_535, "The TCP port to listen on")
    static let workers = SettingKey("service.workers", default: 4, in: 1...64, "How many requests are served at once")
}

extension [SettingKeys] {
    static var service: [SettingKeys] { [.ready, .host, .port, .workers] }
}
