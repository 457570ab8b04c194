#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension DurableFileError.Code {
    /// What an `errno` means for a file. ELOOP and the like are the path's: it leads to no file (ENXIO: to a socket).
    init(errno code: CInt) {
        self =
            switch code {
            case EROFS: .readOnly
            case ENOSPC, EDQUOT: .noSpace
            case EACCES, EPERM: .permission
            case EFBIG: .tooLarge
            case EISDIR, ELOOP, ENAMETOOLONG, ENOTDIR, ENXIO: .notAFile
            default: .io
            }
    }
}
