import FileWatching
import Foundation
import Locking
import TestSupport

/// Follows a file as a store does: looks at each signal, off the cooperative pool, and keeps what is news.
final class Follower: Sendable {
    struct Record: Sendable {
        /// Contents as text, each unlike the one before.
        var texts: [String] = []
        /// The other settled readings, each unlike the settled one before.
        var others: [FileReading] = []
        var latest = FileReading.unsettled
        var looks = 0

        mutating func take(_ reading: FileReading) {
            looks += 1
            guard reading != .unsettled, reading != latest else { return }
            latest = reading
            guard case .content(let bytes) = reading else { return others.append(reading) }
            let text = String(decoding: bytes, as: UTF8.self)
            if texts.last != text { texts.append(text) }
        }
    }

    private final class Book: Sendable {
        private let state = Lock(Record())
        func take(_ reading: FileReading) { state.withLock { $0.take(reading) } }
        var record: Record { state.withLock { $0 } }
    }

    let watcher: FileWatcher
    private let book: Book
    private let task: Task<Void, Never>

    init(_ watcher: FileWatcher) {
        let book = Book()
        self.watcher = watcher
        self.book = book
        book.take(watcher.readSettled())
        let signals = watcher.signals
        task = Task.detached { [weak watcher] in
            for await _ in signals {
                guard let watcher else { return }
                let reading = await withCheckedContinuation { continuation in
                    DispatchQueue.global().async { continuation.resume(returning: watcher.read()) }
                }
                book.take(reading)
            }
        }
    }

    /// Unless `options` ask for a poll sooner, there is none: what is seen was seen by events.
    convenience init(_ path: String, options: FileWatcher.Options = .init()) {
        self.init(FileWatcher(path: path, options: options.withoutSafetyPoll))
    }

    deinit { watcher.stop() }

    var record: Record { book.record }
    var texts: [String] { record.texts }

    /// Waits until the last settled reading is this text.
    func reaches(_ text: String, within duration: Duration = .seconds(60)) async throws {
        try await reaches(.content(Array(text.utf8)), within: duration)
    }

    func reaches(_ reading: FileReading, within duration: Duration = .seconds(60)) async throws {
        do {
            try await eventually(within: duration) { record.latest == reading }
        } catch {
            throw Missed(wanted: "\(reading)", record: record)
        }
    }

    struct Missed: Error, CustomStringConvertible {
        let wanted: String
        let record: Record
        var description: String { "wanted \(wanted), last \(record.latest), all \(record.texts), \(record.others)" }
    }
}

extension FileWatcher.Options {
    /// The same without the safety poll, unless that was asked for at another pace than usual.
    var withoutSafetyPoll: FileWatcher.Options {
        var options = self
        if intervals.safety == FileWatcher.Intervals().safety { options.intervals.safety = .seconds(3600) }
        return options
    }
}
