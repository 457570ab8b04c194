import Synchronization
import Testing

@testable import Rheostat

@Suite struct SettingWordPairTests {
    /// A pair and the flag that ends its readers.
    private final class Shared: @unchecked Sendable {
        // Sound: both hold nothing but atomics.
        let pair = SettingWordPair()
        let isDone = Atomic<Bool>(false)
    }

    @Test func `nothing is read before something is stored, nor after it is taken away`() {
        let pair = SettingWordPair()
        func words() -> [UInt64]? { pair.load().map { [$0.0, $0.1] } }
        var isUnused = pair.isUnused
        #expect(isUnused)
        #expect(words() == nil)
        pair.store((1, 2))
        isUnused = pair.isUnused
        #expect(!isUnused)
        #expect(words() == [1, 2])
        pair.store(nil)
        isUnused = pair.isUnused
        #expect(!isUnused)
        #expect(words() == nil)
        pair.store((3, 4))
        #expect(words() == [3, 4])
    }

    @Test func `a reader never gets one word of the old value and one of the new, nor an older value`() async {
        let shared = Shared()
        let (torn, older) = await withTaskGroup(of: (Int, Int).self) { group in
            group.addTask {
                // Both words say which value it is; now and then there is none.
                for number in UInt64(1)...1_000_000 { shared.pair.store(number % 64 == 0 ? nil : (number, number)) }
                shared.isDone.store(true, ordering: .releasing)
                return (0, 0)
            }
            group.addTask {
                var (torn, older, last) = (0, 0, UInt64(0))
                while !shared.isDone.load(ordering: .acquiring) {
                    guard let (first, second) = shared.pair.load() else { continue }
                    if first != second { torn += 1 }
                    if first < last { older += 1 }
                    last = first
                }
                return (torn, older)
            }
            return await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
        }
        #expect(torn == 0)
        #expect(older == 0)
    }
}
