import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite struct FileDescriptorTests {
    @Test func `a descriptor is closed when its owner goes`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("x")
        let number: CInt
        do {
            let descriptor = try FileDescriptor.open(path, O_RDONLY)
            number = descriptor.number
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
        }
        // Another test may have been given the number since, but then not for this file.
        let now = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        #expect(now != path)
    }

    @Test func `a number that was given away stays open`() throws {
        let directory = try TemporaryDirectory()
        let number = try FileDescriptor.open(try directory.write("x"), O_RDONLY).relinquish()
        #expect(fcntl(number, F_GETFD) >= 0)
        #expect(close(number) == 0)
    }

    @Test func `opening a missing file says which call and path failed`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("absent")
        let error = #expect(throws: SystemError.self) { _ = try FileDescriptor.open(path, O_RDONLY) }
        #expect(error == SystemError(call: "open", path: path, code: ENOENT))
        #expect(error?.description == "\(path): open: No such file or directory")
    }
}
