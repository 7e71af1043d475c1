import Locks
package import StoreHosting
import Stores

/// Decides what happens to requests with an Idempotency-Key, and which responses of one session are remembered.
package struct IdempotencyTable {
    package enum Admission: Sendable, Equatable {
        /// The first request with its key. It ends with ``IdempotencyTable/store(_:)`` or ``IdempotencyTable/abandon(_:)``.
        case new
        /// The request was answered before.
        case replay(IdempotencyRecord)
        /// The first request with the key is not answered yet.
        case inProgress
        /// The key was used with another body.
        case mismatch
        /// No further key fits.
        case full
    }

    private enum Entry {
        case inProgress(RequestFingerprint)
        /// With the fingerprint of its request, if that came to this process.
        case stored(IdempotencyRecord, RequestFingerprint?)
    }

    /// How long a response is remembered, in milliseconds.
    private static let lifetime = 600_000
    /// Above this, no further key is admitted, since none may be forgotten early.
    private static let maxBytes = 4 << 20
    private static let maxInProgress = 1000

    private var entries: [String: Entry] = [:]
    /// The keys of the stored responses, oldest first; those before `oldest` are forgotten.
    private var order: [(key: String, at: Int)] = []
    private var oldest = 0
    private var bytes = 0
    private var inProgressCount = 0

    package init() {}

    /// Whether a first request is not answered yet.
    package var isBusy: Bool { inProgressCount > 0 }

    package mutating func admit(_ key: String, _ fingerprint: RequestFingerprint, now: Int) -> Admission {
        forget(before: now - Self.lifetime)
        switch entries[key] {
        case .inProgress(let first): return first.inMemory == fingerprint.inMemory ? .inProgress : .mismatch
        case .stored(let record, let first):
            let isSame =
                first.map { $0.inMemory == fingerprint.inMemory } ?? (record.fingerprint == fingerprint.persistent)
            return isSame ? .replay(record) : .mismatch
        case nil:
            guard bytes < Self.maxBytes, inProgressCount < Self.maxInProgress else { return .full }
            entries[key] = .inProgress(fingerprint)
            inProgressCount += 1
            return .new
        }
    }

    /// Remembers a response, in place of an earlier one to the same request.
    package mutating func store(_ record: IdempotencyRecord) {
        var fingerprint: RequestFingerprint?
        switch entries[record.key] {
        case .stored(let earlier, let first)?:
            fingerprint = first
            bytes -= earlier.byteCount
        case .inProgress(let first)?:
            fingerprint = first
            inProgressCount -= 1
            order.append((record.key, record.at))
        case nil: order.append((record.key, record.at))
        }
        entries[record.key] = .stored(record, fingerprint)
        bytes += record.byteCount
    }

    /// Gives up a request without a response to remember: the next one with its key is new again.
    package mutating func abandon(_ key: String) {
        guard case .inProgress = entries[key] else { return }
        entries[key] = nil
        inProgressCount -= 1
    }

    private mutating func forget(before moment: Int) {
        while oldest < order.count, order[oldest].at < moment {
            if case .stored(let record, _)? = entries.removeValue(forKey: order[oldest].key) {
                bytes -= record.byteCount
            }
            oldest += 1
        }
        guard oldest > order.count / 2 else { return }
        order.removeFirst(oldest)
        oldest = 0
    }
}

/// The ``IdempotencyTable`` of one session, for any thread.
final class IdempotencyCache: Sendable {
    // Taken inside the store's lock; nothing is locked in it.
    private let table = Locked(IdempotencyTable())

    var isBusy: Bool { table.withLock(\.isBusy) }

    func admit(_ key: String, _ fingerprint: RequestFingerprint, now: Int) -> IdempotencyTable.Admission {
        table.withLock { $0.admit(key, fingerprint, now: now) }
    }

    func store(_ record: IdempotencyRecord) { table.withLock { $0.store(record) } }

    func abandon(_ key: String) { table.withLock { $0.abandon(key) } }

    /// Takes the records of a session that was loaded from its journal.
    func restore(_ records: [IdempotencyRecord]) {
        table.withLock { table in
            for record in records.sorted(by: { $0.at < $1.at }) { table.store(record) }
        }
    }
}

extension IdempotencyRecord {
    /// About how many bytes it takes.
    fileprivate var byteCount: Int { key.utf8.count + response.count + 128 }
}
