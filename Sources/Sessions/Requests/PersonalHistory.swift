import StoreHosting
import Stores

/// Names of the histories of personal views: the session's own history, and a mark of the reader.
enum PersonalHistory {
    // The names in the session's own history, which have one dot between them, are never empty.
    private static let separator = ".."

    /// Tells the reader's history from others. Each node makes this mark of this reader.
    static func mark(of reader: Actor) -> String {
        var hash = FNV1a()
        for byte in reader.json { hash.add(byte) }
        return separator + String(hash.value, radix: 36)
    }

    /// Whether a history is another, or that of a personal view of it.
    static func isWithin(_ history: some StringProtocol, of other: String) -> Bool {
        history == other || history.hasPrefix(other + separator)
    }
}
