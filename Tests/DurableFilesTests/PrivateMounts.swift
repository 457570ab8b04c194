import Foundation
import SystemCalls

/// Threads with a view of the mounts of their own, and threads without root's rights. Both need root.
///
/// Linux has these per thread, though its C library and Swift's do not show them, so they are looked up by name; the
/// signatures are those of their manual pages.
enum PrivateMounts {
    private typealias Unshare = @convention(c) (CInt) -> CInt
    private typealias Mount =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>?, UInt, UnsafePointer<CChar>?
        ) -> CInt
    private typealias SetUser = @convention(c) (CUnsignedInt) -> CInt

    private static func function<F>(_ name: String, _ type: F.Type) throws -> F {
        guard let symbol = dlsym(nil, name) else { throw SystemError(call: name, path: "", code: ENOSYS) }
        return unsafeBitCast(symbol, to: F.self)
    }

    static let privately: UInt = 1 << 18 | 1 << 14  // MS_PRIVATE, MS_REC
    static let bind: UInt = 1 << 12
    static let remount: UInt = 1 << 5
    static let readOnly: UInt = 1

    /// mount(2), in the calling thread's view.
    static func mount(
        _ source: String, on target: String, type: String? = nil, flags: UInt = 0, options: String? = nil
    ) throws {
        guard try function("mount", Mount.self)(source, target, type, flags, options) == 0 else {
            throw SystemError.last("mount", target)
        }
    }

    /// Runs `body` on a thread whose mounts nobody else sees; they end with it.
    static func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await onThread {
            // CLONE_NEWNS
            guard try function("unshare", Unshare.self)(0x0002_0000) == 0 else { throw SystemError.last("unshare", "") }
            try mount("none", on: "/", flags: privately)
            return try body()
        }
    }

    /// Whether this process may do that; asked once.
    static let isAllowed: Bool = {
        let done = DispatchSemaphore(value: 0)
        let allowed = Flag()
        Thread {
            if let unshare = try? function("unshare", Unshare.self), unshare(0x0002_0000) == 0,
                (try? mount("none", on: "/", flags: privately)) != nil
            {
                allowed.set()
            }
            done.signal()
        }.start()
        done.wait()
        return allowed.isSet
    }()

    /// Runs `body` on a thread that has the file rights of the user 65534 and no others.
    static func runAsNobody<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await onThread {
            // These two answer with the former number and never say whether they worked.
            _ = try function("setfsgid", SetUser.self)(65534)
            _ = try function("setfsuid", SetUser.self)(65534)
            guard try function("setfsuid", SetUser.self)(65534) == 65534 else {
                throw SystemError(call: "setfsuid", path: "", code: EPERM)
            }
            return try body()
        }
    }
}
