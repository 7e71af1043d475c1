import Journal
import StorehouseServer
import Stores

extension Configuration.Storage {
    /// Where commits are kept, ready for use.
    ///
    /// - Throws: why the file cannot be used, and what to do.
    func journal(_ log: Log) throws(StorageError) -> any Journal {
        switch kind {
        case .memory: return MemoryJournal(keepCommits: keepCommits)
        case .sqlite:
            return try SQLiteJournal(
                path: path, durability: durability == .full ? .full : .relaxed, keepCommits: keepCommits,
                keepDays: keepDays
            ) { log.tell($0) }
        }
    }
}

extension Log {
    fileprivate func tell(_ news: StorageNews) {
        switch news {
        case .upgrading(let old, let new):
            info(
                "the storage file is being brought up to date",
                [.init("from", old), .init("to", new)])
        case .failed(let detail):
            error("nothing can be kept; see that storage.path can be written and has room", [.init("detail", detail)])
        case .recovered: warning("storage can be written again")
        case .damaged(let session, let detail):
            error(
                "a session's rows are damaged; it cannot be used",
                [.init("session", String(session.prefix(6)) + "…"), .init("detail", detail)])
        }
    }
}
