import Platform
import Synchronization

/// A database file before SQLite opens it.
///
/// The name itself must not be a symbolic link, and none of the files beside it: whoever may write to the directory could
/// have another file changed in that way. Links among the directories are followed.
struct StorageFile {
    /// The path without symbolic links, so that a file has one lock.
    let path: String
    /// The last part of the path.
    let name: String

    /// - Parameter path: the file need not exist, but its directory must.
    init(_ path: String) throws(StorageError) {
        let directory = Folder.of(path)
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        guard !name.isEmpty else {
            throw .inaccessible(path: path, detail: "it is not the name of a file", advice: Advice.path)
        }
        guard let place = realpath(directory, nil) else { throw Self.directoryError(directory, of: path) }
        defer { free(place) }
        let directoryPath = String(cString: place)
        self.name = name
        self.path = directoryPath + (directoryPath.hasSuffix("/") ? "" : "/") + name
        var status = stat()
        if lstat(self.path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { throw Self.linkError(path) }
    }

    private static func directoryError(_ directory: String, of path: String) -> StorageError {
        guard errno == ENOENT else { return .system(path, "the directory \(directory)") }
        return .inaccessible(
            path: path, detail: "the directory \(directory) does not exist", advice: "create it, or pass another path")
    }

    private static func linkError(_ path: String) -> StorageError {
        .inaccessible(path: path, detail: "it is a symbolic link", advice: "pass the path of the file itself")
    }

    /// Whether the name is taken, also by a link to nothing.
    var exists: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Deletes the file, and the files beside it that SQLite would use for a new file of that name.
    func remove() {
        // The file itself last: if the process is killed before that, a later one still finds it, and deletes all of them.
        for suffix in ["-journal", "-wal", "-shm", ""] { unlink(path + suffix) }
    }

    /// Renames the file to a name that is not taken.
    func move(to file: StorageFile) throws(StorageError) {
        // Unlike a rename, this never replaces a file.
        if link(path, file.path) == 0 {
            unlink(path)
            return
        }
        let hasNoLinks = [EPERM, ENOTSUP, EOPNOTSUPP, EMLINK].contains(errno)
        guard hasNoLinks, !file.exists, rename(path, file.path) == 0 else {
            throw .system(file.path)
        }
    }

    /// Creates the file if it is missing, and makes it, its WAL and its shared memory readable for the owner only.
    func prepare() throws(StorageError) {
        // Close before SQLite opens the file: closing later would release SQLite's locks.
        try Self.makePrivate(path, O_CREAT)
        for suffix in ["-wal", "-shm"] { try Self.makePrivate(path + suffix, 0) }
    }

    private static func makePrivate(_ path: String, _ flags: Int32) throws(StorageError) {
        let file = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0o600)
        guard file >= 0 else {
            if errno == ENOENT { return }
            throw errno == ELOOP ? linkError(path) : .system(path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .inaccessible(path: path, detail: "it is not a regular file", advice: "pass the path of a file")
        }
        guard status.st_mode & 0o7777 == 0o600 || fchmod(file, 0o600) == 0 else {
            throw .system(path)
        }
    }

    /// Throws if the file is not a Storehouse database. An empty or missing file is accepted.
    ///
    /// - Returns: false if the file is empty or missing.
    @discardableResult
    func checkHeader() throws(StorageError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system(path) }
            try rejectOrphanedWAL()
            return false
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .foreign(path: path, detail: "it is not a regular file") }
        guard status.st_size > 0 else {
            try rejectOrphanedWAL()
            return false
        }
        let header = try header()
        guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw .foreign(path: path, detail: "it has no SQLite header")
        }
        let application = header[68..<72].reduce(0) { $0 << 8 | Int($1) }
        guard application == Schema.applicationID else {
            throw .foreign(path: path, detail: "it is the database of another application")
        }
        return true
    }

    /// Throws if the file of another database is beside a name at which a copy is to be: SQLite would apply it to the copy.
    func rejectOrphans() throws(StorageError) {
        for suffix in ["-wal", "-journal"] {
            var status = stat()
            guard lstat(path + suffix, &status) == 0, status.st_size > 0 else { continue }
            throw .refused(
                "\(path)\(suffix) belongs to a database that is gone, and would change the copy; move it away first")
        }
    }

    /// Throws if there is a WAL beside a missing or empty file: SQLite would delete the WAL with its commits.
    private func rejectOrphanedWAL() throws(StorageError) {
        var status = stat()
        guard lstat(path + "-wal", &status) == 0, status.st_size > 0 else { return }
        throw .corrupt(path: path, detail: "it is missing or empty, but its -wal file contains commits")
    }

    private func header() throws(StorageError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw .system(path) }
        defer { close(file) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = pread(file, &header, 100, 0)
        guard count >= 0 else { throw .system(path) }
        return Array(header.prefix(count))
    }
}

/// Locks a database against other processes until it is released or the process ends.
///
/// The lock is on a separate file: closing another descriptor of the database file would release SQLite's own locks.
final class StorageLock: Sendable {
    private let descriptor: Int32
    private let isReleased = Atomic(false)

    /// - Parameter path: the database file, without symbolic links.
    init(_ path: String) throws(StorageError) {
        descriptor = open(path + "-lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(path + "-lock") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // `deinit` closes the descriptor. Closing it here too could close another file of the same number.
            throw errno == EWOULDBLOCK ? .inUse(path: path) : .system(path + "-lock")
        }
    }

    /// Throws if a process has the lock, although the database may be gone. Makes no file.
    ///
    /// Advice about files beside a database would be harmful as long as a process uses them.
    static func check(_ path: String) throws(StorageError) {
        let descriptor = open(path + "-lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        // It is tried again with the same result by whoever takes the lock.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else {
            flock(descriptor, LOCK_UN)
            return
        }
        if errno == EWOULDBLOCK { throw .inUse(path: path) }
    }

    deinit { release() }

    /// The lock file, whatever its name is now.
    var identity: FileIdentity? { FileIdentity(of: descriptor) }

    func release() {
        guard descriptor >= 0, !isReleased.exchange(true, ordering: .relaxed) else { return }
        // A process that this one has forked and that has not executed its program yet holds a copy of the descriptor, so
        // closing alone might leave the file locked.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// The message for the current `errno`.
func systemError() -> String { String(cString: strerror(errno)) }
