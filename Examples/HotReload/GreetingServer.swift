import Dispatch
import Rheostat
import Synchronization

/// Answers `GET` requests on a loopback port that the system chose.
///
/// It keeps no copy of its settings: it reads them from the store where it needs them, as cheaply as a variable, so each
/// request is served by what holds at that moment.
final class GreetingServer: Sendable {
    let port: UInt16
    private let settings: SettingsStore
    private let listener: Socket
    private let openConnections = Atomic(0)

    /// Starts to listen and to serve.
    init(settings: SettingsStore) throws {
        self.settings = settings
        listener = try Socket.listening()
        port = try listener.port()
        DispatchQueue(label: "accept").async { [self] in acceptConnections() }
    }

    /// Stops to listen. Connections that are open are served to their end.
    func stop() { listener.shutDown() }

    private func acceptConnections() {
        while let connection = listener.nextConnection() {
            let count = openConnections.add(1, ordering: .relaxed).newValue
            let limit = settings[.connectionLimit]
            // A queue for each: a connection that waits for its client must not hold up the others.
            DispatchQueue(label: "connection").async { [self] in
                serve(connection, isRefused: count > limit, limit: limit)
            }
        }
    }

    private func serve(_ connection: Socket, isRefused: Bool, limit: Int) {
        let request = connection.receive(upTo: "\r\n\r\n")
        let line = request.prefix { $0 != "\r\n" && $0 != "\n" }
        if isRefused {
            log(.warning, "\(line) refused: \(limit) of \(limit) connections are in use")
            connection.transmit(Self.response("503 Service Unavailable", "come back later"))
        } else if line.hasPrefix("GET ") {
            log(.debug, "\(line)")
            connection.transmit(Self.response("200 OK", "\(settings[.greeting]), world!"))
        } else if !line.isEmpty {
            connection.transmit(Self.response("501 Not Implemented", "only GET is"))
        }
        // Given back before the client can see the end of the answer, so its next connection finds the place free.
        openConnections.subtract(1, ordering: .relaxed)
        connection.shutDown()
    }

    private func log(_ level: LogLevel, _ message: String) {
        if level >= settings[.logLevel] { say("   service log    \(level): \(message)") }
    }

    private static func response(_ status: String, _ body: String) -> String {
        """
        HTTP/1.1 \(status)\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Length: \(body.utf8.count + 1)\r
        Connection: close\r
        \r
        \(body)

        """
    }
}
