/// What the values of a key must fulfil besides their type.
struct SettingRules<Value: SettingValue>: Sendable {
    /// A value that a rule does not allow.
    struct Refusal: Error {
        /// What is allowed, to follow "expected".
        let expected: String
        /// More of it, which may quote a value: left out where the key is secret.
        var detail = ""

        /// What is allowed, as far as it may be said.
        func expectation(quoting: Bool) -> String { quoting ? expected + detail : expected }
    }

    /// The range in words, for messages and for the schema; `nil` without one.
    let rangeDescription: String?
    private let isInRange: (@Sendable (Value) -> Bool)?
    private let allowed: [Value]
    private let validate: (@Sendable (Value) throws -> Void)?

    init(validate: (@Sendable (Value) throws -> Void)?) {
        rangeDescription = nil
        isInRange = nil
        allowed = []
        self.validate = validate
    }

    init(allowed: [Value]) {
        rangeDescription = nil
        isInRange = nil
        self.allowed = allowed
        validate = nil
    }

    init(range: ClosedRange<Value>, validate: (@Sendable (Value) throws -> Void)?) where Value: Comparable {
        self.init(range: range, unwrapping: { $0 }, validate: validate)
    }

    init<Bound: Comparable & Sendable>(
        range: ClosedRange<Bound>, unwrapping unwrap: @escaping @Sendable (Value) -> Bound?,
        validate: (@Sendable (Value) throws -> Void)?
    ) {
        rangeDescription = "\(range.lowerBound)...\(range.upperBound)"
        isInRange = { value in unwrap(value).map(range.contains) ?? true }
        allowed = []
        self.validate = validate
    }

    /// Throws a ``Refusal`` when `value` is not allowed. Runs code of the user.
    func check(_ value: Value) throws(Refusal) {
        if let isInRange, let rangeDescription, !isInRange(value) {
            throw Refusal(expected: "a value in \(rangeDescription)")
        }
        if !allowed.isEmpty, !allowed.contains(where: { $0.isSame(as: value) }) {
            let values = allowed.map { "\($0)" }.joined(separator: ", ")
            throw Refusal(expected: "one of the allowed values", detail: ": " + values)
        }
        guard let validate else { return }
        do {
            try validate(value)
        } catch {
            throw Refusal(expected: "a value that passes its validation", detail: ": \(error)")
        }
    }
}
