import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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
