/// A setting: its name, the type of its values and its default.
///
/// A key is made once, as a static constant of ``SettingKeys``. Making an equal one again, as a computed property does,
/// costs a look-up in a table and uses no further memory: keys are interned by name, type and default for the life of
/// the process.
///
/// A malformed name, or a default that the key itself refuses, is not a trap: ``SettingsStore/open(_:keys:onInvalid:)``
/// throws it for a declared key. A key first met later reads its default, its writes throw, and a problem is published.
public final class SettingKey<Value: SettingValue>: SettingKeys, @unchecked Sendable {
    // Sound: see SettingKeys; `Value` is Sendable.

    /// What is read where nothing is set.
    public let defaultValue: Value

    /// What values must fulfil besides their type.
    let rules: SettingRules<Value>

    init(name: String, defaultValue: Value, summary: String, isSecret: Bool, rules: SettingRules<Value>) {
        self.defaultValue = defaultValue
        self.rules = rules
        super.init(
            name: name, summary: summary, isSecret: isSecret,
            index: KeyInterning.shared.index(name: name, defaultValue: defaultValue))
    }

    /// Declares a setting.
    ///
    /// - Parameters:
    ///   - name: the dotted name, such as `server.port`; `\.` is a dot that belongs to a name.
    ///   - defaultValue: what is read where nothing is set. It is never written to a file.
    ///   - summary: one line for people.
    ///   - secret: whether the value must appear in no message.
    ///   - validate: throws for a value that is not allowed; what it throws becomes part of the message. It holds for
    ///     writes and for edits of the file alike. It may run on any thread and more than once.
    public convenience init(
        _ name: String, default defaultValue: Value, _ summary: String = "", secret: Bool = false,
        validate: (@Sendable (Value) throws -> Void)? = nil
    ) {
        self.init(
            name: name, defaultValue: defaultValue, summary: summary, isSecret: secret,
            rules: SettingRules(validate: validate))
    }

    override var valueType: any SettingValue.Type { Value.self }

    override func declare(in publication: Publication) -> AnySettingCell? {
        publication.cell(for: self, isDeclared: true)
    }

    override func defaultRefusal() -> String? {
        do throws(SettingRules<Value>.Refusal) {
            try rules.check(defaultValue)
            return nil
        } catch {
            return "the default is not allowed: expected \(error.expectation(quoting: !isSecret))"
        }
    }
}

extension SettingKey where Value: Comparable {
    /// Declares a setting whose values lie in a range, both bounds included.
    ///
    /// A value outside is refused when it is written and makes the file invalid when it is edited in. The other
    /// parameters are those of ``init(_:default:_:secret:validate:)``.
    public convenience init(
        _ name: String, default defaultValue: Value, in range: ClosedRange<Value>, _ summary: String = "",
        secret: Bool = false, validate: (@Sendable (Value) throws -> Void)? = nil
    ) {
        self.init(
            name: name, defaultValue: defaultValue, summary: summary, isSecret: secret,
            rules: SettingRules(range: range, validate: validate))
    }
}

extension SettingKey {
    /// Declares a setting that takes one of a few values.
    ///
    /// Any other is refused when it is written and makes the file invalid when it is edited in. The other parameters
    /// are those of ``init(_:default:_:secret:validate:)``.
    public convenience init(
        _ name: String, default defaultValue: Value, oneOf allowed: [Value], _ summary: String = "",
        secret: Bool = false
    ) {
        self.init(
            name: name, defaultValue: defaultValue, summary: summary, isSecret: secret,
            rules: SettingRules(allowed: allowed))
    }
}

extension SettingKey {
    /// Declares a setting that may be absent: absent, or `null` in the file, means `nil`.
    ///
    /// The other parameters are those of ``init(_:default:_:secret:validate:)``; `validate` sees `nil` never.
    public convenience init<Wrapped>(
        _ name: String, _ summary: String = "", secret: Bool = false,
        validate: (@Sendable (Wrapped) throws -> Void)? = nil
    ) where Value == Wrapped? {
        self.init(
            name: name, defaultValue: nil, summary: summary, isSecret: secret,
            rules: SettingRules(validate: unlessNil(validate)))
    }

    /// Declares a setting that may be absent and otherwise lies in a range, both bounds included.
    public convenience init<Wrapped: Comparable>(
        _ name: String, in range: ClosedRange<Wrapped>, _ summary: String = "", secret: Bool = false,
        validate: (@Sendable (Wrapped) throws -> Void)? = nil
    ) where Value == Wrapped? {
        self.init(
            name: name, defaultValue: nil, summary: summary, isSecret: secret,
            rules: SettingRules(
                range: range, unwrapping: { $0 },
                validate: unlessNil(validate)))
    }
}

/// A validation that lets `nil` pass.
private func unlessNil<Wrapped>(
    _ validate: (@Sendable (Wrapped) throws -> Void)?
) -> (@Sendable (Wrapped?) throws -> Void)? {
    guard let validate else { return nil }
    return { value in if let value { try validate(value) } }
}

extension SettingKey: CustomStringConvertible {
    /// The name and the type: `server.port: Int`. No value, so that a secret's default does not show.
    public var description: String { "\(name): \(Value.self)" }
}
