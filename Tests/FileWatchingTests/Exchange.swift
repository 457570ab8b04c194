import Foundation

/// `renameat2` with RENAME_EXCHANGE, called by its name in the C library, since the Glibc module lacks it.
enum Exchange {
    static func names(_ first: String, _ second: String) -> CInt {
        typealias Call = @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
        guard let symbol = dlsym(nil, "renameat2") else { return -1 }
        // Sound: this is its prototype since glibc 2.28.
        return unsafeBitCast(symbol, to: Call.self)(AT_FDCWD, first, AT_FDCWD, second, 2)
    }
}
