import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
#if os(Linux)
    import LinuxCalls
#endif

/// Wakes a thread that sleeps in `poll`.
final class WakeSignal: Sendable {
    private let readEnd: FileDescriptor
    private let writeEnd: FileDescriptor?

    init() throws(SystemError) {
        #if os(Linux)
            let number = linux_eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
            guard number >= 0 else { throw .last("eventfd", "") }
            readEnd = FileDescriptor(owning: number)
            writeEnd = nil
        #else
            var ends: [CInt] = [-1, -1]
            guard pipe(&ends) == 0 else { throw .last("pipe", "") }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            readEnd = FileDescriptor(owning: ends[0])
            writeEnd = FileDescriptor(owning: ends[1])
        #endif
    }

    /// For `poll`.
    var number: CInt { readEnd.number }

    /// Wakes the thread, or keeps it from falling asleep. From any thread.
    func raise() {
        var one: UInt64 = 1
        // It fails only when a wake-up is waiting already.
        switch writeEnd {
        case .none: _ = write(readEnd.number, &one, 8)
        case .some(let end): _ = write(end.number, &one, 1)
        }
    }

    /// Takes the wake-ups that wait.
    func clear() {
        var taken: (UInt64, UInt64) = (0, 0)
        while read(readEnd.number, &taken, 16) == 16 {}
    }
}
