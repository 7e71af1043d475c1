/// Why a journal's file cannot be used, and what to do.
public enum StorageError: Error, Sendable, Hashable {
    /// Another process has it.
    case inUse(path: String)
    /// It is no file of a journal.
    case foreign(path: String, detail: String)
    /// A newer release has written it.
    case newer(path: String, version: Int)
    /// What stands in it cannot be right.
    case corrupt(path: String, detail: String)
    /// The system does not let it be read or written.
    case inaccessible(path: String, detail: String)
    /// There is none.
    case missing(path: String)
    /// It is fine, but what was asked for cannot be done with it.
    case refused(String)
}

extension StorageError: CustomStringConvertible {
    /// What is wrong, and what to do, in a line.
    public var description: String {
        switch self {
        case .inUse(let path):
            "\(path) is in use by another process; stop that one first, or set another storage.path"
        case .foreign(let path, let detail):
            "\(path) is not a Storehouse database (\(detail)), and was left as it is; set another storage.path"
        case .newer(let path, let version):
            """
            \(path) was written by a newer release (format \(version), this one knows \(Schema.version)) and was left as it \
            is; run that release, or put a backup from before in its place
            """
        case .corrupt(let path, let detail):
            """
            \(path) is damaged (\(detail)); keep a copy of it and of its -wal file, look with 'storehouse verify --storage \
            \(path)', and put a backup in its place
            """
        case .inaccessible(let path, let detail):
            "\(path) cannot be used (\(detail)); see that it and its directory belong to who runs this and have room"
        case .refused(let detail): detail
        case .missing(let path): "\(path) is not there; give the path of a database"
        }
    }
}

extension StorageError {
    /// What an error of SQLite means for who wants to open the file.
    init(_ error: SQLiteError, _ path: String) {
        self =
            error.isCorruption
            ? .corrupt(path: path, detail: error.description)
            : .inaccessible(path: path, detail: error.description)
    }
}

/// What happens to a journal's file that somebody should know of.
public enum StorageEvent: Sendable, Equatable {
    /// It is an older release's, and is being brought up to date; with a million sessions that takes seconds.
    case upgrading(from: Int, to: Int)
    /// Nothing can be written; what was to be kept is not.
    case failed(String)
    /// It can be written again.
    case recovered
    /// The rows of one session are not as they were written; it cannot be used.
    case damaged(session: String, String)
}
