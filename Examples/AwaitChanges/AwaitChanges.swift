import Rheostat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What it means to await settings: each chapter of the tour shows one promise of the streams.
///
/// It works on a file in a directory of its own, needs no input and ends by itself.
@main
struct AwaitChanges {
    static func main() async {
        do {
            let directory = try WorkDirectory()
            defer { directory.remove() }
            try await withDeadline(.seconds(30)) { try await Tour.run(on: directory.path + "/service.json") }
        } catch {
            say("AwaitChanges: \(error)")
            exit(1)
        }
    }
}
