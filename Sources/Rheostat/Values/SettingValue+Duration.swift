extension Duration: SettingValue {
    /// A text with units, such as `250ms`, `1h30m`, `1.5s` or `-2m`, exact to the attosecond.
    ///
    /// The units are d (24 hours), h, m, s, ms, us or µs, and ns, from the largest to the smallest, each once; the last
    /// component may have a fraction. A bare number is refused, since its unit would be a guess; so are spaces, a plus
    /// sign, parts of an attosecond, and what `Duration` cannot hold.
    public static func read(from reader: SettingReader) throws -> Duration {
        let text = try reader.text(DurationText.form)
        do throws(DurationText.Refusal) {
            return Duration(attoseconds: try DurationText.attoseconds(text))
        } catch {
            throw reader.refusal(error.expected)
        }
    }

    /// The one canonical spelling, such as `1d2h`, `1m0.5s`, `250ms` or `0s`.
    public func write(to writer: inout SettingWriter) throws { writer.string(DurationText.text(attoseconds)) }

    /// `==`.
    public func isSame(as other: Duration) -> Bool { self == other }
}
