import SystemCalls

#if os(Linux)
    import LinuxCalls
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A thread of its own, since waiting in `poll` would take one from the cooperative pool.
enum HubThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body`. It takes no signals: those are for the program's own threads.
    static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) -> pthread_t {
        // Sound: retained here, released once by the new thread, or below when there is none.
        let work = Unmanaged.passRetained(Work(body))
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        let (thread, failure) = create(work.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        if let thread { return thread }
        work.release()
        throw SystemError(call: "pthread_create", path: "", code: failure)
    }

    private static func create(_ work: UnsafeMutableRawPointer) -> (pthread_t?, CInt) {
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let failure = pthread_create(&thread, nil, { HubThread.run($0) }, work)
        return (failure == 0 ? thread : nil, failure)
    }

    /// Names the calling thread, for debuggers and `top`; at most 15 bytes.
    static func nameCurrent(_ name: String) {
        #if canImport(Darwin)
            pthread_setname_np(name)
        #elseif os(Linux)
            _ = linux_set_thread_name(name)
        #endif
    }

    /// Waits for the end of `thread`; when it is the calling one, lets it end by itself.
    static func join(_ thread: pthread_t) {
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    #if canImport(Darwin)
        private static func run(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? { perform(work) }
    #else
        private static func run(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            if let work { return perform(work) }
            return nil
        }
    #endif

    private static func perform(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        // Sound: the counterpart of passRetained in `start`.
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
    }
}
