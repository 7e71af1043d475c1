/// An outbox cannot be kept on disk.
public enum StorageFailure: Error, Hashable, CustomStringConvertible {
    /// The disk, or what the user may have of it, is full. The action is not sent.
    case diskFull(path: String)
    /// Another store, perhaps of another process, has the same outbox open.
    case inUse(path: String)
    /// A newer release has written the file.
    case newer(path: String)
    /// A part of the file is not what was written. What stood there is lost; all else is kept.
    case damaged(path: String)
    /// The system says why.
    case unusable(path: String, reason: String)

    /// A sentence without its end, for a person.
    public var description: String {
        switch self {
        case .diskFull(let path): "there is no room on the disk for \(path)"
        case .inUse(let path): "another store has \(path) open, perhaps in another process"
        case .newer(let path): "a newer release has written \(path)"
        case .damaged(let path): "a part of \(path) is damaged, so that actions may be lost"
        case .unusable(let path, let reason): "\(path) cannot be used: \(reason)"
        }
    }
}
