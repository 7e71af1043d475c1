/// What happens to a journal's file that somebody should know of.
public enum StorageNews: Sendable, Equatable {
    /// It is an older release's, and is being brought up to date; with a million sessions that takes seconds.
    case upgrading(from: Int, to: Int)
    /// Nothing can be written; what was to be kept is not.
    case failed(String)
    /// It can be written again.
    case recovered
    /// The rows of one session are not as they were written; it cannot be used.
    case damaged(session: String, String)
}
