import Journal
import StoreHosting

/// The old commits that may be deleted.
struct CompactionCheck: Sendable, Equatable {
    /// The newest revision that is acknowledged.
    let revision: Int
    /// The oldest revision that an idempotency record shows; nil if there is none.
    let pinned: Int?

    /// The arguments of the script `compact`.
    func arguments(_ limits: RetentionLimits, claim: String) -> RedisArguments {
        RedisArguments([
            claim, String(revision - limits.keepCommits), String(min(revision, pinned ?? .max)),
            String(limits.keepBytes), String(limits.trimmedBytes),
        ])
    }
}

extension RedisSessionJournal.Progress {
    /// The commits to delete; nil if it is not yet time to look for them.
    mutating func compactionCheck(_ limits: RetentionLimits, now: () -> Int) -> CompactionCheck? {
        let (revision, bytes) = (acknowledged.revision, acknowledged.byteCount)
        guard revision >= nextCompactionCheck || bytes >= nextCompactionBytes && revision > 0 else { return nil }
        nextCompactionCheck = limits.nextCompactionCheck(after: revision)
        nextCompactionBytes = bytes + max(1, limits.keepBytes / 4)
        return CompactionCheck(revision: revision, pinned: pinned.oldest(now: now()))
    }
}
