#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A system call that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the call, as in its manual page.
    package let call: String
    /// The path the call was made for.
    package let path: String
    /// The `errno` it left.
    package let code: CInt

    package init(call: String, path: String, code: CInt) {
        self.call = call
        self.path = path
        self.code = code
    }

    /// The error of a call that has just failed: reads `errno`.
    package static func last(_ call: String, _ path: String) -> SystemError {
        SystemError(call: call, path: path, code: errno)
    }

    /// What `errno` means, as the C library says it.
    package var reason: String { String(cString: strerror(code)) }

    package var description: String { "\(path): \(call): \(reason)" }
}
