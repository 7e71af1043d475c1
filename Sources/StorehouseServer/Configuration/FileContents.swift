#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

/// Why a file could not be read.
package enum FileError: Error, Hashable {
    case missing
    case tooLarge(limit: Int)
    /// What the system says.
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

/// Reads whole files, pipes too, blocking.
package enum FileContents {
    package static func contents(of path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .system(code: errno) }
        defer { _ = close(descriptor) }
        var contents: [UInt8] = []
        while let chunk = try nextChunk(of: descriptor) {
            contents += chunk
            guard contents.count <= limit else { throw .tooLarge(limit: limit) }
        }
        return contents
    }

    /// Nil at the end.
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
