import Synchronization

/// Where results go that nobody uses, so that the work for them is not optimised away.
///
/// An integer is stored: the cheapest thing that a compiler must leave alone and cannot do for several elements at once.
/// Anything else is handed to a function that is not inlined and takes the value for its own.
final class Sink: Sendable {
    private let word = Atomic<Int>(0)

    @inline(__always)
    func take(_ value: Int) { word.store(value, ordering: .relaxed) }

    @inline(never)
    func take(_ value: consuming String) { word.store(value.utf8.count, ordering: .relaxed) }

    @inline(never)
    func take<Value>(_ value: consuming Value) {
        withUnsafeBytes(of: &value) { word.store($0.count, ordering: .relaxed) }
    }
}
