/// Elements that keep their number while others come and go. Adding and removing cost O(1); numbers are used again, so
/// the memory is bounded by the most elements there were at one time.
struct SlotMap<Element: Sendable>: Sendable {
    private var slots: [Element?] = []
    private var free: [Int] = []

    /// How many elements there are.
    var count: Int { slots.count - free.count }

    var isEmpty: Bool { count == 0 }

    /// Adds `element` and returns its number.
    mutating func insert(_ element: Element) -> Int {
        if let slot = free.popLast() {
            slots[slot] = element
            return slot
        }
        slots.append(element)
        return slots.count - 1
    }

    /// Takes the element with this number out. Removing one that is not there does nothing.
    @discardableResult
    mutating func remove(_ slot: Int) -> Element? {
        guard slots.indices.contains(slot), let element = slots[slot] else { return nil }
        slots[slot] = nil
        free.append(slot)
        if count == 0 {
            slots = []
            free = []
        }
        return element
    }

    /// Calls `body` with each element, in the order of their numbers.
    func forEach(_ body: (Element) -> Void) {
        for case let element? in slots { body(element) }
    }
}
