#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#else
    package import Darwin
#endif

/// An open file descriptor that closes itself, once.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number the kernel knows it by; valid while this value lives.
    package let number: CInt

    /// Takes over `number`, which nobody else may close.
    package init(owning number: CInt) { self.number = number }

    deinit {
        // Never repeated: after EINTR Linux has released the number, and another thread may own it already.
        _ = close(number)
    }

    /// Gives the number away: whoever takes it closes it.
    package consuming func relinquish() -> CInt {
        let number = number
        discard self
        return number
    }

    /// Opens `path`, always close-on-exec; repeated when a signal interrupts it.
    package static func open(
        _ path: String, _ flags: CInt, mode: mode_t = 0
    ) throws(SystemError) -> FileDescriptor {
        while true {
            #if canImport(Glibc)
                let number = Glibc.open(path, flags | O_CLOEXEC, mode)
            #elseif canImport(Musl)
                let number = Musl.open(path, flags | O_CLOEXEC, mode)
            #else
                let number = Darwin.open(path, flags | O_CLOEXEC, mode)
            #endif
            if number >= 0 { return FileDescriptor(owning: number) }
            if errno != EINTR { throw .last("open", path) }
        }
    }
}
