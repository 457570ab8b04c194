import Locking
import Testing

@Suite struct LockTests {
    @Test func `increments from many tasks are all kept`() async {
        final class Box: Sendable { let count = Lock(0) }
        let box = Box()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1_000 { box.count.withLock { $0 += 1 } } }
            }
        }
        #expect(box.count.withLock { $0 } == 8_000)
    }

    @Test func `a throwing body releases the lock`() {
        struct Refused: Error {}
        let lock = Lock(1)
        #expect(throws: Refused.self) { try lock.withLock { _ in throw Refused() } }
        #expect(lock.withLock { $0 } == 1)
    }
}
