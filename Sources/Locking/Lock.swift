#if RHEOSTAT_PTHREAD_LOCK
    #if canImport(Glibc)
        public import Glibc
    #elseif canImport(Musl)
        public import Musl
    #else
        public import Darwin
    #endif
#else
    public import Synchronization
#endif

/// A value that one thread at a time may touch.
///
/// This is `Synchronization.Mutex`. Compiled with `-D RHEOSTAT_PTHREAD_LOCK` it is a pthread mutex instead, because
/// Thread Sanitizer does not see the futex calls of `Mutex` on Linux and reports races that do not exist.
///
/// The lock is not recursive. Code of the user (a codec, `==`, a validation, a `deinit` of a stored value) never runs
/// inside it.
public struct Lock<Value>: ~Copyable, @unchecked Sendable {
    // Sound: `value` is reached through `withLock` alone, which holds the mutex.
    #if RHEOSTAT_PTHREAD_LOCK
        @usableFromInline let storage: UnsafeMutablePointer<(mutex: pthread_mutex_t, value: Value)>

        /// Makes an unlocked lock that guards `value`.
        @inlinable
        public init(_ value: sending Value) {
            storage = .allocate(capacity: 1)
            storage.initialize(to: (pthread_mutex_t(), value))
            let failure = pthread_mutex_init(&storage.pointee.mutex, nil)
            precondition(failure == 0, "pthread_mutex_init failed with \(failure)")
        }

        deinit {
            pthread_mutex_destroy(&storage.pointee.mutex)
            storage.deinitialize(count: 1)
            storage.deallocate()
        }

        /// Runs `body` while holding the lock. Blocks the thread until it has it.
        @inlinable
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            let failure = pthread_mutex_lock(&storage.pointee.mutex)
            precondition(failure == 0, "pthread_mutex_lock failed with \(failure)")
            defer { pthread_mutex_unlock(&storage.pointee.mutex) }
            return try body(&storage.pointee.value)
        }
    #else
        @usableFromInline let mutex: Mutex<Value>

        /// Makes an unlocked lock that guards `value`.
        @inlinable
        public init(_ value: sending Value) {
            mutex = Mutex(value)
        }

        /// Runs `body` while holding the lock. Blocks the thread until it has it.
        @inlinable
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}
