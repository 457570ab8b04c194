#if os(Linux)
    import Foundation
    import TestSupport

    /// A pseudo terminal: what is written to `slave` is read here.
    final class Terminal: Sendable {
        private let master: Int32
        let slave: FileHandle

        init() throws {
            // Glibc's posix_openpt(3) and its kin are not in the module; this is what they do (ptmx(4), ioctl_tty(2)).
            let unlock: UInt = 0x4004_5431
            let getNumber: UInt = 0x8004_5430
            master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var locked: Int32 = 0
            var index: Int32 = 0
            guard master >= 0, ioctl(master, unlock, &locked) == 0, ioctl(master, getNumber, &index) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            let number = open("/dev/pts/\(index)", O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard number >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            slave = FileHandle(fileDescriptor: number, closeOnDealloc: true)
            _ = fcntl(master, F_SETFL, O_NONBLOCK)
        }

        deinit { close(master) }

        /// All that was written, as soon as it contains `end`.
        func read(upTo end: String) async throws -> String {
            var bytes: [UInt8] = []
            try await eventually {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = Foundation.read(self.master, &buffer, buffer.count)
                if count > 0 { bytes += buffer[..<count] }
                return String(decoding: bytes, as: UTF8.self).contains(end)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
