/// The place after the newest row of a session, where the writer appends.
struct AppendPosition: Sendable {
    /// The number of the session in the database.
    let number: Int
    /// The revision of the newest commit.
    var revision = 0
    /// The checksum of the newest commit, or of the session row before the first commit.
    var previousChecksum: UInt64
    /// When the next timer is due; nil if none is set.
    var nextDeadline: Int?
    /// The revision at which to check whether old commits can be deleted.
    var nextCompactionCheck: Int
    /// How many bytes may be appended before that is checked.
    var bytesUntilCompactionCheck: Int

    /// The position of a new session.
    init(_ number: Int, checksum: UInt64, _ limits: RetentionLimits) {
        self.number = number
        previousChecksum = checksum
        nextCompactionCheck = limits.firstCompactionCheck(after: 0)
        bytesUntilCompactionCheck = limits.keepBytes
    }

    /// The position of a session that was loaded.
    ///
    /// - Parameters:
    ///   - revision: that of the newest commit.
    ///   - checksum: that of the newest commit.
    init(
        _ number: Int, _ head: SessionHead, _ revision: Int, _ checksum: UInt64, _ limits: RetentionLimits
    ) {
        self.number = number
        self.revision = revision
        previousChecksum = checksum
        nextDeadline = head.nextDeadline
        nextCompactionCheck = limits.firstCompactionCheck(after: head.compactedThrough)
        bytesUntilCompactionCheck = head.byteCount.map { max(0, limits.keepBytes - max(0, $0)) } ?? 0
    }
}
