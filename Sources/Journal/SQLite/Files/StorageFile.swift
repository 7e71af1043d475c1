import Platform
import Synchronization

/// A database file as the system sees it, before SQLite is asked.
struct StorageFile {
    /// Without symbolic links, so that one file has one lock.
    let path: String

    /// - Parameter path: of a file that need not be there; its directory must.
    init(_ path: String) throws(StorageError) {
        if let whole = Self.resolved(path) {
            self.path = whole
            return
        }
        let end = path.lastIndex(of: "/")
        let directory = end.map { String(path[...$0]) } ?? "."
        let name = end.map { String(path[path.index(after: $0)...]) } ?? path
        guard let place = Self.resolved(directory), !name.isEmpty else {
            throw .inaccessible(path: path, detail: "there is no directory \(directory)")
        }
        self.path = place + "/" + name
    }

    private static func resolved(_ path: String) -> String? {
        guard let whole = realpath(path, nil) else { return nil }
        defer { free(whole) }
        return String(cString: whole)
    }

    var exists: Bool { access(path, F_OK) == 0 }

    /// Removes it, and what SQLite would take for the rest of it were it made again.
    func remove() { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) } }

    /// Gives it the name of another, whose place it takes.
    func move(to file: StorageFile) throws(StorageError) {
        guard rename(path, file.path) == 0 else { throw .inaccessible(path: file.path, detail: systemError()) }
    }

    /// Makes the file where there is none, and sees that nobody else may read it, its log and its shared memory.
    func prepare() throws(StorageError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .inaccessible(path: path, detail: systemError()) }
        // Closed before SQLite opens the file: later, its locks would go.
        close(file)
        for suffix in ["", "-wal", "-shm"] where chmod(path + suffix, 0o600) != 0 && errno != ENOENT {
            throw .inaccessible(path: path + suffix, detail: systemError())
        }
    }

    /// Refuses what is no database of ours. What has nothing in it may become one.
    ///
    /// - Returns: whether there is something in it.
    @discardableResult
    func checkHeader() throws(StorageError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .inaccessible(path: path, detail: systemError()) }
            try refuseLonelyLog()
            return false
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .foreign(path: path, detail: "it is no file") }
        guard status.st_size > 0 else {
            try refuseLonelyLog()
            return false
        }
        let header = try header()
        guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw .foreign(path: path, detail: "it does not begin as an SQLite database does")
        }
        let application = header[68..<72].reduce(0) { $0 << 8 | Int($1) }
        guard application == Schema.applicationID else {
            throw .foreign(path: path, detail: "it is the database of another application")
        }
        return true
    }

    /// Refuses to begin with nothing where a log says that there was something: SQLite would empty it.
    private func refuseLonelyLog() throws(StorageError) {
        var status = stat()
        guard stat(path + "-wal", &status) == 0, status.st_size > 0 else { return }
        throw .corrupt(path: path, detail: "it is missing or empty, and its log is there with commits in it")
    }

    private func header() throws(StorageError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .inaccessible(path: path, detail: systemError()) }
        defer { close(file) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = pread(file, &header, 100, 0)
        guard count >= 0 else { throw .inaccessible(path: path, detail: systemError()) }
        return Array(header.prefix(count))
    }
}

/// Keeps other processes from writing to the same database, for as long as this lives or its process does.
///
/// The lock is on a file beside it: SQLite has locks of its own on the database, which this process would lose were it to
/// close that file once more.
final class StorageLock: Sendable {
    private let descriptor: Int32
    private let isReleased = Atomic(false)

    /// - Parameter path: the database's, without symbolic links.
    init(_ path: String) throws(StorageError) {
        descriptor = open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inaccessible(path: path + "-lock", detail: systemError()) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // What was opened is closed by `deinit`, and must be but once: the number may be another file's by then.
            throw errno == EWOULDBLOCK
                ? .inUse(path: path) : .inaccessible(path: path + "-lock", detail: systemError())
        }
    }

    deinit { release() }

    /// Lets others have the database.
    func release() {
        if descriptor >= 0, !isReleased.exchange(true, ordering: .relaxed) { close(descriptor) }
    }
}

/// What the system says of the call that has just failed.
func systemError() -> String { String(cString: strerror(errno)) }
