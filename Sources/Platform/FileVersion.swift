/// A file, whatever its name is: its device and its inode.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// The file of this name, which may be a symbolic link; nil if there is none, with the reason in `errno`.
    package init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// An open file.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    fileprivate init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

/// The file behind a name, and its size.
package struct FileStatus: Sendable {
    package let identity: FileIdentity
    package let size: Int

    /// The file of this name, which may be a symbolic link; nil if there is none, with the reason in `errno`.
    package init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        identity = FileIdentity(status)
        size = Int(status.st_size)
    }
}

/// The version of a file: it differs once the file is replaced, or written again.
package struct FileVersion: Sendable, Hashable {
    private let file: FileIdentity
    private let size: Int
    private let modified: [Int]
    private let changed: [Int]

    /// The version of the file that a path names, through symbolic links; nil if there is none.
    package init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        file = FileIdentity(status)
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
