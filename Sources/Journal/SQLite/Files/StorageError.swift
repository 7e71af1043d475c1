import CSQLite
import Platform

/// Why a database file cannot be used.
package enum StorageError: Error, Sendable, Hashable {
    /// Another process uses the file.
    case inUse(path: String)
    /// The file is not a Storehouse database.
    case foreign(path: String, detail: String)
    /// A newer release has written the file.
    case newer(path: String, version: Int)
    /// The file is damaged.
    case corrupt(path: String, detail: String)
    /// The system denies access to the file, or an I/O error occurred.
    ///
    /// - advice: the way out, as far as the reason tells it.
    case inaccessible(path: String, detail: String, advice: String)
    /// The file does not exist.
    case missing(path: String)
    /// The file is valid, but the request is not.
    case refused(String)
}

extension StorageError: CustomStringConvertible {
    /// One line with the problem and its solution.
    package var description: String {
        switch self {
        case .inUse(let path):
            "\(path) is in use by another process; stop that process, or name another database"
        case .foreign(let path, let detail):
            "\(path) is not a Storehouse database (\(detail)) and was not changed; name another database"
        case .newer(let path, let version):
            """
            \(path) was written by a newer release (schema version \(version), this release supports \(Schema.version)) \
            and was not changed; run that release, or restore a backup from before the upgrade
            """
        case .corrupt(let path, let detail):
            """
            \(path) is damaged (\(detail)); keep a copy of it and of its -wal file, run 'storehouse verify --storage \
            \(path)', and restore a backup
            """
        case .inaccessible(let path, let detail, let advice): "\(path) cannot be used (\(detail)); \(advice)"
        case .refused(let detail): detail
        case .missing(let path): "\(path) does not exist; pass the path of a database"
        }
    }
}

extension StorageError {
    init(_ error: SQLiteError, _ path: String) {
        self =
            error.isCorruption
            ? .corrupt(path: path, detail: error.description)
            : .inaccessible(path: path, detail: error.description, advice: error.advice)
    }

    /// The system has refused a call for the reason in `errno`.
    ///
    /// - Parameter action: the call that failed, as the beginning of a sentence; nil if that is plain.
    static func system(_ path: String, _ action: String? = nil) -> StorageError {
        let reason = errno
        let detail = String(cString: strerror(reason))
        return .inaccessible(
            path: path, detail: action.map { "\($0): \(detail)" } ?? detail, advice: Advice.forReason(reason))
    }
}

/// Advice to the operator of a file that cannot be used.
enum Advice {
    static let permissions = "check the permissions of the file and its directory"
    static let space = "check the free space"
    static let path = "check the path"
    static let openFiles = "check the limit of open files"
    static let general = permissions + ", and the free space"

    /// - Parameter reason: a value of `errno`.
    static func forReason(_ reason: Int32) -> String {
        switch reason {
        case EACCES, EPERM, EROFS: permissions
        case ENOSPC, EDQUOT, EFBIG: space
        case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, EISDIR, EEXIST: path
        case EMFILE, ENFILE: openFiles
        default: general
        }
    }
}

extension SQLiteError {
    fileprivate var advice: String {
        switch code & 0xff {
        case SQLITE_FULL: Advice.space
        case SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN: Advice.permissions
        case SQLITE_BUSY, SQLITE_LOCKED: "another process has it locked; try again when that has ended"
        default: Advice.general
        }
    }
}

/// An event of a database file for the operator.
package enum StorageEvent: Sendable, Equatable {
    /// The file was written by an older release and is being migrated. This takes seconds for a million sessions.
    case upgrading(from: Int, to: Int)
    /// Writes fail, and commits are not durable.
    case failed(String)
    /// Files of the database have lost their names: somebody has deleted, moved or replaced them. Nothing is written until they are
    /// back.
    case replaced(String)
    /// Files of the database were shortened or overwritten in place. Nothing is written any more by this process.
    case overwritten(String)
    /// Redis cannot be used, for this reason. The journal tries again and again.
    case disconnected(String)
    /// Redis has lost commits that were acknowledged, or may have, as any node has found.
    case lostCommits
    /// Redis must not be used by this process, for this reason: it should end.
    case refused(String)
    /// Another process that is alive has this node's address, which is given: this process should end.
    case addressTaken(String)
    /// The clock of this machine and that of Redis differ by more than 30 seconds, as this says. Nothing is deleted because of its age.
    case clockDiffers(String)
    /// The two clocks agree again.
    case clockAgrees
    /// Writes succeed again.
    case recovered
    /// The rows of a session are damaged, and the session cannot be used.
    case damaged(session: String, String)
}

extension StorageEvent: CustomStringConvertible {
    /// The event in a sentence, for a log. It does not have the id of a session, because that is the right to use the session.
    package var description: String {
        switch self {
        case .upgrading(let old, let new): "upgrading the storage file from version \(old) to \(new)"
        case .failed(let detail): "storage cannot be written; check that its file is writable and has space: \(detail)"
        case .replaced(let detail): "\(Self.replacement): \(detail)"
        case .overwritten(let detail): "\(Self.overwriting): \(detail)"
        case .disconnected(let detail): "Redis cannot be used: \(detail)"
        case .lostCommits: "Redis has lost commits that were acknowledged, or may have"
        case .refused(let detail): "Redis must not be used by this process: \(detail)"
        case .addressTaken(let address): "another node that is alive has the same cluster.address, \(address)"
        case .clockDiffers(let detail): "\(detail); nothing is deleted because of its age until they agree"
        case .clockAgrees: "the clocks of this machine and of Redis agree again"
        case .recovered: "storage can be written again"
        case .damaged(_, let detail): "the rows of a session are damaged; it cannot be used: \(detail)"
        }
    }

    /// That files have lost their names, and the way back.
    package static let replacement = """
        the storage file was deleted, moved or replaced while this server uses it, so nothing more is committed; put the \
        files back where they were, or stop this server, restore a backup, and start it again
        """

    /// That files have lost their content, and the way back.
    package static let overwriting = """
        the storage file was shortened or overwritten while this server uses it, so nothing more is committed, and commits may be \
        lost; stop this server, move the files away, restore a backup, and start it again
        """
}
