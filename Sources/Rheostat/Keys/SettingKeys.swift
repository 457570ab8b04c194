/// The namespace in which settings are declared, and what is common to keys of every type.
///
/// Declare each setting as a static constant in an extension, with its name, type and default in one place:
///
/// ```swift
/// extension SettingKeys {
///     static let port  = SettingKey("server.port", default: 8080, in: 1...65_535, "TCP port to listen on")
///     static let level = SettingKey("log.level", default: LogLevel.info)
///     static let token = SettingKey<String?>("api.token", secret: true)
/// }
/// ```
///
/// They are then found by a leading dot, in `settings[.port]` and in the `keys:` of
/// ``SettingsStore/open(_:keys:onInvalid:)``.
///
/// Only ``SettingKey`` derives from this class. Keys are immutable and may be shared between threads.
public class SettingKeys: @unchecked Sendable {
    // Sound: all stored properties here and in the one, final subclass are immutable and Sendable.

    /// The dotted name, as given. `server.port` names the member `port` of the object `server`; `\.` is a dot that
    /// belongs to a name.
    public let name: String

    /// One line for people: what the setting does. Empty when nothing was given.
    public let summary: String

    /// Whether the value must never appear in a message, a dump or a log. A file made for a store with a secret key
    /// gets mode 0600.
    public let isSecret: Bool

    /// The name taken apart, or what is wrong with it.
    let path: Result<SettingPath, SettingPath.Malformed>

    /// A small number that stands for name, type and default in this process; the read path's index.
    @usableFromInline let index: Int

    init(name: String, summary: String, isSecret: Bool, index: Int) {
        self.name = name
        self.summary = summary
        self.isSecret = isSecret
        self.index = index
        do throws(SettingPath.Malformed) {
            path = .success(try SettingPath(parsing: name))
        } catch {
            path = .failure(error)
        }
    }

    /// The type of the values, for messages and for telling two declarations of one name apart.
    var valueType: any SettingValue.Type { fatalError("only SettingKey derives from SettingKeys") }

    /// Whether the key stands for any JSON value at its path, as those of ``SettingsStore/raw`` do.
    final var isRaw: Bool { valueType == RawJSON?.self }

    /// Why this key and `other`, one of which names the place of the other or the same, do not go together.
    final func conflict(with other: SettingKeys) -> SettingsProblem {
        let message =
            if name != other.name {
                "\"\(name)\" and \"\(other.name)\" cannot both be keys: one would be inside the other"
            } else if valueType != other.valueType {
                "key \"\(name)\" is declared both as \(other.valueType) and as \(valueType)"
            } else {
                "key \"\(name)\" is declared with two defaults"
            }
        return SettingsProblem(kind: .conflictingKeys, message: message, key: name)
    }

    /// Makes this key's cell in `publication`, if it can be used there. See ``SettingCell``.
    func declare(in publication: Publication) -> AnySettingCell? {
        fatalError("only SettingKey derives from SettingKeys")
    }

    /// Why the key's own default cannot be its value; `nil` when it can.
    func defaultRefusal() -> String? { fatalError("only SettingKey derives from SettingKeys") }
}
