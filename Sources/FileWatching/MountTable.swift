import SystemCalls

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The kernel's table of mounts, for its one use here: `poll` with POLLPRI tells that it has changed.
final class MountTable: Sendable {
    private let descriptor: FileDescriptor

    init?() {
        guard let descriptor = try? FileDescriptor.open("/proc/self/mountinfo", O_RDONLY) else { return nil }
        self.descriptor = descriptor
    }

    var number: CInt { descriptor.number }
}
