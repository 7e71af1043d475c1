/// Tells a file, and the version of it, from another one: it differs once the file is replaced, or written again.
package struct FileVersion: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int
    private let modified: [Int]
    private let changed: [Int]

    /// The version of the file that a path names, through symbolic links; nil if there is none.
    package init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The version of an open file.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int(status.st_size)
        #if canImport(Darwin)
            let (modification, change) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (modification, change) = (status.st_mtim, status.st_ctim)
        #endif
        modified = [Int(modification.tv_sec), Int(modification.tv_nsec)]
        changed = [Int(change.tv_sec), Int(change.tv_nsec)]
    }

    /// When the file was written or got its name, in milliseconds since 1970.
    package var changedAt: Int { changed[0] * 1000 + changed[1] / 1_000_000 }
}

extension FileVersion {
    /// Why a file cannot be read.
    package enum ReadFailure: Error, Sendable, Hashable, CustomStringConvertible {
        case system(code: Int32)
        case tooLarge

        package var description: String {
            switch self {
            case .system(let code): "it cannot be read: \(String(cString: strerror(code)))"
            case .tooLarge: "it is too large"
            }
        }
    }

    /// Reads a whole file, and tells which version it is.
    ///
    /// - Parameter limit: the largest file, in bytes.
    package static func read(_ path: String, atMost limit: Int) throws(ReadFailure) -> (FileVersion, [UInt8]) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(code: errno) }
        defer { _ = close(descriptor) }
        guard let version = FileVersion(of: descriptor) else { throw .system(code: errno) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = chunk.withUnsafeMutableBytes { Self.read(descriptor, $0) }
            if count == 0 { return (version, content) }
            if count < 0 {
                guard errno == EINTR else { throw .system(code: errno) }
                continue
            }
            content += chunk.prefix(count)
            guard content.count <= limit else { throw .tooLarge }
        }
    }

    private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
            Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #else
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }
}
