#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Date: SettingValue {
    /// RFC 3339 text, such as `2026-11-30T08:15:00.5Z` or `2026-11-30t09:15:00+01:00`.
    ///
    /// Any offset and any number of fraction digits are taken, and the instant is the nearest that `Date` holds. Refused
    /// are dates that do not exist, hour 24, leap seconds, a space in place of the `T`, anything before or after, and
    /// instants outside the years 0001 to 9999 in UTC.
    public static func read(from reader: SettingReader) throws -> Date {
        let text = try reader.text(DateText.form)
        do throws(DateText.Refusal) {
            return Date(timeIntervalSinceReferenceDate: try DateText.seconds(text))
        } catch {
            throw reader.refusal(error.expected)
        }
    }

    /// RFC 3339 text in UTC with the shortest fraction that reads back as the same instant.
    ///
    /// A fraction has at most nine digits: the few dates around the start of 2001 that are finer than a nanosecond are
    /// rounded to the nearest. Refused are NaN, infinities and years outside 0001 to 9999; `Date.distantPast` is one, two
    /// days before the year 0001: an optional says "never" better.
    public func write(to writer: inout SettingWriter) throws {
        let seconds = timeIntervalSinceReferenceDate
        guard let text = DateText.text(seconds) else {
            let found = seconds.isFinite ? "one outside them" : "one that is not finite"
            throw SettingValueError(expected: "a date in the years 0001 to 9999 in UTC", found: found)
        }
        writer.string(text)
    }

    /// The same instant; a date that is NaN is the same as itself.
    public func isSame(as other: Date) -> Bool {
        let (one, other) = (timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
        return one == other || (one.isNaN && other.isNaN)
    }
}
