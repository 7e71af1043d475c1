/// Why a file could not be read.
package enum FileError: Error, Hashable {
    case missing
    case tooLarge(limit: Int)
    /// A system call failed with this `errno`.
    case system(code: Int32)
}

extension FileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing: "there is no such file"
        case .tooLarge(let limit): "it has more than \(limit) bytes"
        case .system(let code): String(cString: strerror(code))
        }
    }
}

/// Reads whole files and pipes.
package enum FileContents {
    /// - Parameters:
    ///   - limit: the largest file, in bytes.
    ///   - waits: whether to wait until somebody writes to a pipe. Without, an event loop may call it: a pipe that nobody has open
    ///     is empty.
    ///   - progress: gets the number of bytes that have been read, again and again.
    package static func contents(
        of path: String, atMost limit: Int, waits: Bool = true, progress: (Int) -> Void = { _ in }
    ) throws(FileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .system(code: errno) }
        defer { _ = close(descriptor) }
        var contents: [UInt8] = []
        while let chunk = try nextChunk(of: descriptor) {
            contents += chunk
            guard contents.count <= limit else { throw .tooLarge(limit: limit) }
            progress(contents.count)
        }
        return contents
    }

    /// Nil at the end of the file.
    private static func nextChunk(of descriptor: Int32) throws(FileError) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { return Array(chunk.prefix(count)) }
            if count == 0 { return nil }
            guard errno == EINTR else { throw .system(code: errno) }
        }
    }
}
