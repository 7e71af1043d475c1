import Locks
package import StoreHosting
import Stores

/// Remembers the responses of one session to requests with an Idempotency-Key, and decides what happens to such a request.
package struct IdempotencyCache {
    package enum Admission: Sendable, Equatable {
        /// The first request with its key. It ends with ``IdempotencyCache/store(_:)`` or ``IdempotencyCache/abandon(_:)``.
        case new
        /// The request was answered before.
        case replay(IdempotencyRecord)
        /// The first request with the key is not answered yet.
        case inProgress
        /// The key was used with another action.
        case mismatch
        /// No further key fits for that many seconds.
        case full(retryAfter: Int)
    }

    /// A record takes about 150 bytes. Only whole responses and long selections take more than this.
    private static let maxAverageBytes = 512

    private let maxKeys: Int
    private let maxBytes: Int
    private var inProgress: [String: UInt64] = [:]
    private var records = Records()

    package init(maxKeys: Int = 50_000) {
        self.maxKeys = maxKeys
        maxBytes = max(4 << 20, maxKeys * Self.maxAverageBytes)
    }

    /// Whether a first request is not answered yet.
    package var isBusy: Bool { !inProgress.isEmpty }

    /// How many bytes of memory the stored records take.
    package var allocatedBytes: Int { records.allocatedBytes }

    package mutating func admit(_ key: String, _ fingerprint: RequestFingerprint, now: Int) -> Admission {
        let oldest = now - IdempotencyRecord.lifetime
        records.removeRecords(before: oldest)
        if let first = inProgress[key] { return first == fingerprint.inMemory ? .inProgress : .mismatch }
        if let found = records.find(key), found.record.at >= oldest {
            return Self.isSame(found, fingerprint) ? .replay(found.record) : .mismatch
        }
        guard records.count + inProgress.count < maxKeys, records.byteCount < maxBytes else {
            return .full(retryAfter: retryAfter(now))
        }
        inProgress[key] = fingerprint.inMemory
        return .new
    }

    /// The response to an earlier request with the key and the same action; nil if there is none.
    func find(_ key: String, _ fingerprint: RequestFingerprint, now: Int) -> IdempotencyRecord? {
        guard inProgress[key] == nil, let found = records.find(key), Self.isSame(found, fingerprint),
            found.record.at >= now - IdempotencyRecord.lifetime
        else { return nil }
        return found.record
    }

    private static func isSame(
        _ found: (record: IdempotencyRecord, inMemoryFingerprint: UInt64?), _ fingerprint: RequestFingerprint
    ) -> Bool {
        found.inMemoryFingerprint.map { $0 == fingerprint.inMemory } ?? fingerprint.matches(found.record)
    }

    /// Remembers a response, in place of an earlier one to the same request.
    package mutating func store(_ record: IdempotencyRecord) {
        let first = inProgress.removeValue(forKey: record.key)
        records.append(record, inMemoryFingerprint: first)
    }

    /// Takes the records of a session that was loaded from its journal, the oldest first.
    ///
    /// Earlier releases stored the time of the wall clock. A record from after `now` is as if it was made now, so that it does
    /// not stay for as long as the clocks differ.
    package mutating func restore(_ records: [IdempotencyRecord], now: Int) {
        for record in records {
            store(
                IdempotencyRecord(
                    key: record.key, fingerprint: record.fingerprint, response: record.response,
                    revision: record.revision, at: min(record.at, now)))
        }
    }

    /// Gives up a request without a response to remember: the next one with its key is new again.
    package mutating func abandon(_ key: String) { inProgress[key] = nil }

    /// The seconds until so many records are forgotten that a new key fits.
    private func retryAfter(_ now: Int) -> Int {
        let moment = records.moment(whenBelow: maxKeys - inProgress.count, maxBytes)
        // If requests in progress take all the room, nobody knows when they end.
        guard let moment else { return 1 }
        return max(1, min(IdempotencyRecord.lifetime, moment + IdempotencyRecord.lifetime - now) / 1000 + 1)
    }
}

extension IdempotencyCache {
    /// The cache of one session, for any thread.
    final class Shared: Sendable {
        // Taken inside the store's lock; nothing is locked in it.
        private let cache: Locked<IdempotencyCache>

        init(maxKeys: Int) { cache = Locked(IdempotencyCache(maxKeys: maxKeys)) }

        var isBusy: Bool { cache.withLock(\.isBusy) }

        func admit(_ key: String, _ fingerprint: RequestFingerprint, now: Int) -> Admission {
            cache.withLock { $0.admit(key, fingerprint, now: now) }
        }

        func find(_ key: String, _ fingerprint: RequestFingerprint, now: Int) -> IdempotencyRecord? {
            cache.withLock { $0.find(key, fingerprint, now: now) }
        }

        func store(_ record: IdempotencyRecord) { cache.withLock { $0.store(record) } }

        func abandon(_ key: String) { cache.withLock { $0.abandon(key) } }

        /// Takes the records of a session that was loaded from its journal, the oldest first.
        func restore(_ records: [IdempotencyRecord], now: Int) {
            cache.withLock { $0.restore(records, now: now) }
        }
    }
}
