import Rheostat

/// How much the service logs.
enum LogLevel: String, SettingValue, CaseIterable, Comparable {
    case debug, info, warning, error

    static func < (one: LogLevel, other: LogLevel) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

// Name, type, default and rule of each setting, in one place.
extension SettingKeys {
    static let greeting = SettingKey("greeting", default: "Hello", "The first words of each answer")
    static let logLevel = SettingKey("log.level", default: LogLevel.info, "The least important lines that are logged")
    static let connectionLimit = SettingKey(
        "limits.connections", default: 100, in: 1...10_000, "How many connections are served at the same time")
}

enum ServiceSettings {
    /// The schema: a file that holds an invalid value for one of these is refused as a whole.
    static let keys: [SettingKeys] = [.greeting, .logLevel, .connectionLimit]

    /// The file that the example starts with.
    static let firstText = """
        // The service follows this file while it runs.
        {
            "greeting": "Hello",       // the first words of each answer
            "log": {
                "level": "info"        // debug, info, warning or error
            },
            "limits": {
                /* one connection more gets the status 503 */
                "connections": 2,
            },
        }

        """
}
