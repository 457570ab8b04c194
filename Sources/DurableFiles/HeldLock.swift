import Dispatch
import Locking
import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An exclusive flock(2), given back when this value goes.
struct HeldLock: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    deinit {
        // Said aloud, since a child forked meanwhile shares the open file and would keep the lock after our close.
        _ = flock(descriptor.number, LOCK_UN)
    }

    /// The number of the locked descriptor.
    var number: CInt { descriptor.number }

    /// Takes the lock of what `descriptor` has open, or gives nil at `deadline`.
    ///
    /// Where nobody holds it this is one call. Otherwise a thread of its own blocks in flock(2), which is told at once
    /// when the lock falls free (asking again and again loses against others that do the same), and this thread waits
    /// for it no longer than allowed.
    static func take(
        _ descriptor: consuming FileDescriptor, until deadline: ContinuousClock.Instant, _ calls: FileCalls,
        path: String
    ) throws(SystemError) -> HeldLock? {
        do {
            try calls.lock(descriptor.number, LOCK_EX | LOCK_NB, path: path)
            return HeldLock(descriptor)
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
        }
        guard ContinuousClock.now < deadline else { return nil }
        let identity = try calls.status(of: descriptor.number, path: path).identity
        let waiter: LockWaiter
        if let adopted = LockWaiter.adopt(identity) {
            waiter = adopted
        } else {
            waiter = LockWaiter(descriptor.relinquish(), identity, calls, path: path)
            try waiter.start()
        }
        guard let number = try waiter.wait(until: deadline) else { return nil }
        return HeldLock(FileDescriptor(owning: number))
    }
}

/// A thread that blocks in flock(2) for somebody who may not wait for ever.
///
/// A blocked flock(2) cannot be called off, so a wait that is given up leaves its thread behind. Such a thread is kept
/// for the next one who waits for the same lock; without that, trying again while a stopped process holds the lock
/// would add a thread each time. If the lock comes while nobody waits, the thread gives it back at once and ends.
private final class LockWaiter: Sendable {
    private enum State {
        case awaited
        case abandoned
        case granted
        case failed(SystemError)
        /// Its thread has ended, or is about to, without a taker.
        case gone
    }

    /// Those that nobody waits for, by what they will lock.
    private static let abandoned = Lock<[FileIdentity: [LockWaiter]]>([:])

    private let descriptor: CInt
    private let identity: FileIdentity
    private let calls: FileCalls
    private let path: String
    private let state = Lock(State.awaited)
    private let decided = DispatchSemaphore(value: 0)

    init(_ descriptor: CInt, _ identity: FileIdentity, _ calls: FileCalls, path: String) {
        self.descriptor = descriptor
        self.identity = identity
        self.calls = calls
        self.path = path
    }

    /// One that was left behind and still waits for the lock of that file or directory.
    static func adopt(_ identity: FileIdentity) -> LockWaiter? {
        while let candidate = abandoned.withLock({ $0[identity]?.popLast() }) {
            let isAlive = candidate.state.withLock { state in
                guard case .abandoned = state else { return false }
                state = .awaited
                return true
            }
            if isAlive { return candidate }
        }
        return nil
    }

    /// Starts the thread. If there is none to be had, closes the descriptor and throws.
    func start() throws(SystemError) {
        // Signals are for the program's own threads: a handler of theirs must not run here.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 256 * 1024)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        // The thread takes the reference over: retained here, released where it runs.
        let reference = Unmanaged.passRetained(self)
        let failure = pthread_create(&thread, &attributes, runLockWaiter, reference.toOpaque())
        if failure != 0 {
            reference.release()
            close(descriptor)
            throw SystemError(call: "pthread_create", path: path, code: failure)
        }
    }

    /// The thread's work.
    fileprivate func run() {
        let outcome: State
        var isHeld = false
        do throws(SystemError) {
            try calls.lock(descriptor, LOCK_EX, path: path)
            outcome = .granted
            isHeld = true
        } catch {
            outcome = .failed(error)
        }
        let isTaken = state.withLock { state in
            guard case .awaited = state else {
                state = .gone
                return false
            }
            state = outcome
            return true
        }
        if !isTaken || !isHeld {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        if isTaken { decided.signal() }
        Self.abandoned.withLock { waiters in
            waiters[identity]?.removeAll { $0 === self }
            if waiters[identity]?.isEmpty == true { waiters[identity] = nil }
        }
    }

    /// The locked descriptor, which is the caller's now, or nil at `deadline`.
    func wait(until deadline: ContinuousClock.Instant) throws(SystemError) -> CInt? {
        let left = (deadline - .now).components
        let nanoseconds = min(max(left.seconds, 0), 1_000_000_000) * 1_000_000_000 + left.attoseconds / 1_000_000_000
        _ = decided.wait(timeout: .now() + .nanoseconds(Int(max(nanoseconds, 0))))
        // The state decides, not the semaphore: the lock may come between its timeout and here.
        let outcome = state.withLock { state in
            defer { if case .awaited = state { state = .abandoned } }
            return state
        }
        switch outcome {
        case .granted: return descriptor
        case .failed(let error): throw error
        case .awaited, .abandoned, .gone:
            Self.abandoned.withLock { $0[identity, default: []].append(self) }
            // It may have come and gone before it was entered: then it must not stay there.
            let isGone = state.withLock { if case .gone = $0 { true } else { false } }
            if isGone { Self.abandoned.withLock { $0[identity]?.removeAll { $0 === self } } }
            return nil
        }
    }
}

#if canImport(Darwin)
    private func runLockWaiter(_ waiter: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        // The reference that `start` retained for this thread.
        Unmanaged<LockWaiter>.fromOpaque(waiter).takeRetainedValue().run()
        return nil
    }
#else
    private func runLockWaiter(_ waiter: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        // The reference that `start` retained for this thread.
        if let waiter { Unmanaged<LockWaiter>.fromOpaque(waiter).takeRetainedValue().run() }
        return nil
    }
#endif
