import Platform

/// The changes of a disk that an outbox needs. Tests replace them.
package protocol OutboxDisk: Sendable {
    /// Opens a file to read and write, and makes it if it is not there.
    func open(_ path: String) throws(DiskError) -> Int32
    func write(_ bytes: [UInt8], to file: Int32, at offset: Int) throws(DiskError)
    func truncate(_ file: Int32, to size: Int) throws(DiskError)
    /// Returns when a loss of power cannot take away what was written.
    func sync(_ file: Int32) throws(DiskError)
    /// Makes the names in a folder durable.
    func sync(folder: String) throws(DiskError)
    func rename(_ path: String, to other: String) throws(DiskError)
    /// Removes a file, if it exists.
    func remove(_ path: String) throws(DiskError)
}

/// A call of the system that failed.
package struct DiskError: Error, Hashable {
    package var code: Int32

    package init(code: Int32) {
        self.code = code
    }

    fileprivate static var current: DiskError { DiskError(code: errno) }
}

/// The disk of the system.
package struct SystemDisk: OutboxDisk {
    package init() {}

    package func open(_ path: String) throws(DiskError) -> Int32 {
        let file = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .current }
        return file
    }

    package func write(_ bytes: [UInt8], to file: Int32, at offset: Int) throws(DiskError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(file, $0.baseAddress! + written, bytes.count - written, off_t(offset + written))
            }
            guard count >= 0 || errno == EINTR else { throw .current }
            written += max(count, 0)
        }
    }

    package func truncate(_ file: Int32, to size: Int) throws(DiskError) {
        guard ftruncate(file, off_t(size)) == 0 else { throw .current }
    }

    package func sync(_ file: Int32) throws(DiskError) {
        #if canImport(Darwin)
            // There `fsync` leaves the bytes in the buffers of the drive. Some file systems have nothing better.
            if fcntl(file, F_FULLFSYNC) == 0 { return }
            guard fsync(file) == 0 else { throw .current }
        #else
            guard fdatasync(file) == 0 else { throw .current }
        #endif
    }

    package func sync(folder: String) throws(DiskError) {
        guard Folder.sync(folder) else { throw .current }
    }

    package func rename(_ path: String, to other: String) throws(DiskError) {
        guard Platform.rename(path, other) == 0 else { throw .current }
    }

    package func remove(_ path: String) throws(DiskError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .current }
    }
}
