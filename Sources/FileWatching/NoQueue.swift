#if !os(Linux)
    import Darwin
    import SystemCalls

    /// Stands in for inotify where there is none: every watcher polls.
    final class InotifyQueue: Sendable {
        let descriptor: FileDescriptor

        init(calls: InotifyCalls) throws(SystemError) {
            throw SystemError(call: "inotify_init1", path: "inotify", code: ENOSYS)
        }

        func add(_ path: PathBytes, _ mask: UInt32) throws(SystemError) -> CInt {
            throw SystemError(call: "inotify_add_watch", path: path.text, code: ENOSYS)
        }

        func remove(_ watch: CInt) {}
        func drain(by buffer: inout [UInt8], _ body: (CInt, UInt32, [UInt8]) -> Void) {}
    }

    struct InotifyCalls: Sendable {}

    enum InotifyMask {
        static let directory: UInt32 = 0
        static let parent: UInt32 = 0
        static let file: UInt32 = 0
        static let overflow: UInt32 = 0
        static let ignored: UInt32 = 0
        static func event(entry mask: UInt32) -> LookSchedule.Event? { nil }
        static func event(file mask: UInt32, _ channel: LookSchedule.Channel) -> LookSchedule.Event? { nil }
        static func event(directory mask: UInt32) -> LookSchedule.Event? { nil }
    }
#endif
