#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif
    import SystemCalls

    /// One inotify instance.
    final class InotifyQueue: Sendable {
        /// For `poll`.
        let descriptor: FileDescriptor
        private let calls: InotifyCalls

        init(calls: InotifyCalls) throws(SystemError) {
            let number = calls.open()
            guard number >= 0 else { throw .last("inotify_init1", "inotify") }
            descriptor = FileDescriptor(owning: number)
            self.calls = calls
        }

        /// Adds `mask` to the watch of the inode that `path` leads to, and gives its watch descriptor.
        func add(_ path: PathBytes, _ mask: UInt32) throws(SystemError) -> CInt {
            let watch = path.withPointer { calls.add(descriptor.number, $0, mask) }
            guard watch >= 0 else { throw .last("inotify_add_watch", path.text) }
            return watch
        }

        /// Removes a watch. That it is gone already is normal: the kernel drops watches of its own accord.
        func remove(_ watch: CInt) { _ = inotify_rm_watch(descriptor.number, watch) }

        /// Hands every event that waits to `body`: watch descriptor, mask, and the bytes of the name.
        ///
        /// `buffer` is what is read into: kept by the caller, since a fresh one would cost page faults each time.
        func drain(by buffer: inout [UInt8], _ body: (CInt, UInt32, [UInt8]) -> Void) {
            buffer.withUnsafeMutableBytes { buffer in
                while true {
                    let length = read(descriptor.number, buffer.baseAddress, buffer.count)
                    if length < 0 && errno == EINTR { continue }
                    guard length > 0 else { return }
                    Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<length]), body)
                    // Less than half full, it has emptied the queue: the longest event takes 272 bytes.
                    if length < buffer.count / 2 { return }
                }
            }
        }

        private static func parse(_ events: UnsafeRawBufferPointer, _ body: (CInt, UInt32, [UInt8]) -> Void) {
            let header = MemoryLayout<inotify_event>.size
            var offset = 0
            // Sound: loads stay within the bytes the kernel wrote, which are whole events.
            while offset + header <= events.count {
                let watch = events.loadUnaligned(fromByteOffset: offset, as: CInt.self)
                let mask = events.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                let length = Int(events.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                let end = min(offset + header + length, events.count)
                body(watch, mask, Array(events[offset + header..<end].prefix { $0 != 0 }))
                offset = end
            }
        }
    }

    /// The calls that may fail for want of something, replaceable so that tests can make them fail.
    struct InotifyCalls: Sendable {
        var open: @Sendable () -> CInt = { inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK)) }
        var add: @Sendable (CInt, UnsafePointer<CChar>, UInt32) -> CInt = { inotify_add_watch($0, $1, $2) }
    }

    /// What is asked of the kernel, and what it answers.
    enum InotifyMask {
        private static let entries =
            UInt32(IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
            | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK) | UInt32(IN_MASK_ADD)
        /// A directory the path passes through.
        static let directory = entries
        /// The directory of the file's own name.
        static let parent = entries | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MODIFY)
        /// The file itself. Never what reading it causes.
        static let file =
            UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF)
            | UInt32(IN_MOVE_SELF) | UInt32(IN_MASK_ADD)

        static let overflow = UInt32(IN_Q_OVERFLOW)
        static let ignored = UInt32(IN_IGNORED)
        private static let selfGone =
            UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_UNMOUNT) | UInt32(IN_IGNORED)

        /// What an event on an entry of the path means.
        static func event(entry mask: UInt32) -> LookSchedule.Event? {
            if mask & UInt32(IN_MOVED_TO) != 0 { return .movedIn }
            if mask & UInt32(IN_CREATE) != 0 { return .created }
            if mask & UInt32(IN_MOVED_FROM | IN_DELETE) != 0 { return .gone(.entry) }
            if mask & UInt32(IN_ATTRIB) != 0 { return .attributes }
            return nil
        }

        /// What an event on the file, by its name (`entry`) or its inode, means.
        static func event(file mask: UInt32, _ channel: LookSchedule.Channel) -> LookSchedule.Event? {
            if mask & UInt32(IN_MODIFY) != 0 { return .modified(channel) }
            if mask & UInt32(IN_CLOSE_WRITE) != 0 { return .closed(channel) }
            if mask & selfGone != 0 { return .gone(channel) }
            return event(entry: mask)
        }

        /// What an event on a watched directory itself means.
        static func event(directory mask: UInt32) -> LookSchedule.Event? {
            if mask & selfGone != 0 { return .gone(.entry) }
            if mask & UInt32(IN_ATTRIB) != 0 { return .attributes }
            return nil
        }
    }
#endif
