/// Asks the service over TCP, as any client would.
struct Client: Sendable {
    let port: UInt16

    /// Sends one request and returns the status and the text of the answer.
    func get(_ path: String = "/") async throws -> String {
        try await offThePool {
            let socket = try Socket.connected(to: port)
            socket.transmit("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            let lines = socket.receive().split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }
            guard let status = lines.first?.split(separator: " ", maxSplits: 1).last,
                let end = lines.firstIndex(of: ""), end + 1 < lines.count
            else { throw NoAnswer() }
            return "\(status): \(lines[end + 1])"
        }
    }

    /// Opens a connection and says nothing on it, so that it stays open.
    func hold() async throws -> Socket { try await offThePool { try Socket.connected(to: port) } }

    /// Ends a connection that was held, and waits until the service has noticed.
    func release(_ connection: Socket) async throws {
        try await offThePool {
            connection.endSending()
            _ = connection.receive()
        }
    }

    struct NoAnswer: Error, CustomStringConvertible {
        var description: String { "the service gave no answer" }
    }
}
