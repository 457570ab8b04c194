#if canImport(Glibc)
    import Glibc
    private let stream = Int32(SOCK_STREAM.rawValue)
    private let noSignal = Int32(MSG_NOSIGNAL)
#elseif canImport(Musl)
    import Musl
    private let stream = SOCK_STREAM
    private let noSignal = MSG_NOSIGNAL
#else
    import Darwin
    private let stream = SOCK_STREAM
    private let noSignal: Int32 = 0
#endif

/// A system call that failed.
struct CallFailure: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    /// What the last call on this thread left in `errno`.
    init(_ call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }

    // Sound: strerror returns a terminated text, which is copied at once.
    var description: String { "\(call): \(unsafe String(cString: strerror(code)))" }
}

/// A TCP socket on the loopback interface, closed when the last reference goes. No call on it waits longer than
/// `Socket.timeout`.
final class Socket: Sendable {
    private static let timeout = 10

    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { _ = close(descriptor) }

    /// A socket that listens on a port which the system chooses.
    static func listening() throws -> Socket {
        let socket = try Socket.make()
        try unsafe withLoopbackAddress(port: 0) { address, length in
            // Sound: the address is valid for the call.
            guard unsafe bind(socket.descriptor, address, length) == 0 else { throw CallFailure("bind") }
        }
        guard listen(socket.descriptor, 16) == 0 else { throw CallFailure("listen") }
        return socket
    }

    /// A connection to `port`.
    static func connected(to port: UInt16) throws -> Socket {
        let socket = try Socket.make()
        try socket.limitWaiting()
        try unsafe withLoopbackAddress(port: port) { address, length in
            // Sound: the address is valid for the call.
            guard unsafe connect(socket.descriptor, address, length) == 0 else { throw CallFailure("connect") }
        }
        return socket
    }

    /// The port of this side.
    func port() throws -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // Sound: the buffer is as long as `length` says, and any bytes make a `sockaddr_in`.
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0 else { throw CallFailure("getsockname") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// The next connection; `nil` when the socket was shut down.
    func nextConnection() -> Socket? {
        while true {
            // The address of the other side is not wanted.
            let new = accept(descriptor, nil, nil)
            guard new < 0 else {
                let connection = Socket(descriptor: new)
                do {
                    try connection.closeOnExec()
                    try connection.limitWaiting()
                    return connection
                } catch {
                    continue
                }
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// What arrives until `end` has, the other side has ended, or the time is over.
    func receive(upTo end: String? = nil) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while bytes.count < 1 << 16 {
            // Sound: at most the buffer's size is written into it.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
            if let end, bytes.suffix(end.utf8.count).elementsEqual(end.utf8) { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends `text`. A side that no longer listens is no error here: it will not miss the answer.
    func transmit(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // Sound: at most the size of what is left is read from it.
            let count = unsafe rest.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, noSignal) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Says that nothing more is sent.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection, or the listening, in both directions.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func make() throws -> Socket {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw CallFailure("socket") }
        let socket = Socket(descriptor: descriptor)
        try socket.closeOnExec()
        return socket
    }

    /// Keeps the socket from the processes that this one starts. The flags of the calls that make sockets would do so
    /// without a moment between, but not every C library shows them to Swift.
    private func closeOnExec() throws {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw CallFailure("fcntl") }
    }

    private func limitWaiting() throws {
        var limit = timeval()
        limit.tv_sec = Self.timeout
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            // Sound: the option's value is a `timeval`, and the length is that of one.
            let result = unsafe setsockopt(
                descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
            guard result == 0 else { throw CallFailure("setsockopt") }
        }
    }

    private static func withLoopbackAddress(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // Sound: every socket address begins like `sockaddr`, which is how the calls take it.
        try unsafe withUnsafePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
