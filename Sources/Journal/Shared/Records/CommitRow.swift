import JSON
package import StoreHosting
import Stores

/// A commit as it is stored, whose checksum covers the commit before it.
package struct CommitRow: Sendable {
    package let revision: Int
    package let committedAt: Int
    package let type: String
    package let payload: [UInt8]
    package let origin: String
    package let cause: Int?
    package let changes: [UInt8]
    package let privateState: [UInt8]?
    /// The actor as JSON; nil if none was named.
    package let actor: [UInt8]?
    package private(set) var checksum: UInt64 = 0

    /// - Parameter previous: the checksum of the previous commit, or of the session's row for the first one.
    package init(_ record: CommitRecord, after previous: UInt64) {
        revision = record.revision
        committedAt = record.committedAt
        type = record.type
        payload = JSONValue.object(record.payload).encoded()
        origin = record.origin.rawValue
        cause = record.cause
        changes = record.changes.encoded()
        privateState = record.privateState
        actor = record.namedActor?.json
        checksum = checksum(after: previous)
    }

    /// A commit as it was stored.
    package init(
        revision: Int, committedAt: Int, type: String, payload: [UInt8], origin: String, cause: Int?, changes: [UInt8],
        privateState: [UInt8]?, actor: [UInt8]? = nil, checksum: UInt64
    ) {
        self.revision = revision
        self.committedAt = committedAt
        self.type = type
        self.payload = payload
        self.origin = origin
        self.cause = cause
        self.changes = changes
        self.privateState = privateState
        self.actor = actor
        self.checksum = checksum
    }

    /// A reader gets no more commits at once than these bytes need, so that many readers of long commits fit into memory.
    package static let portionBytes = 1 << 20

    /// Whether the commit is intact and follows one with this checksum.
    package func follows(_ previous: UInt64) -> Bool { checksum == checksum(after: previous) }

    /// The bytes of its texts, and some for the rest: what it counts against `storage.keepBytes`.
    package var byteCount: Int {
        Self.byteCount(
            type.utf8.count, payload.count, origin.utf8.count, changes.count, privateState?.count, actor?.count)
    }

    /// ``byteCount`` of a commit whose texts have these lengths.
    package static func byteCount(
        _ type: Int, _ payload: Int, _ origin: Int, _ changes: Int, _ privateState: Int?, _ actor: Int?
    ) -> Int {
        64 + type + payload + origin + changes + (privateState ?? 0) + (actor ?? 0)
    }

    /// The commit; nil if a field is malformed.
    package var record: CommitRecord? {
        let namedActor = actor.flatMap { Actor(json: $0) }
        guard let origin = Origin(rawValue: origin), (namedActor == nil) == (actor == nil),
            let changes = EncodedPatch(json: changes),
            case .object(let payload)? = try? JSONValue(parsing: payload, maximumDepth: JSONValue.maxDepth)
        else { return nil }
        return CommitRecord(
            revision: revision, type: type, payload: payload, origin: origin, actor: namedActor, cause: cause,
            committedAt: committedAt, changes: changes, privateState: privateState)
    }

    /// Throws unless the rows follow a revision and each other.
    ///
    /// - Parameter seed: the checksum of the commit of that revision; nil if it was deleted.
    package static func check(_ rows: [CommitRow], after revision: Int, _ seed: UInt64?) throws(JournalError) {
        var (revision, chain) = (revision, seed)
        for row in rows {
            guard row.revision == revision &+ 1 else {
                throw .corrupt("the commit of revision \(revision &+ 1) is missing")
            }
            guard chain.map(row.follows) ?? true else {
                throw .corrupt("the commit of revision \(row.revision) has a wrong checksum")
            }
            (revision, chain) = (row.revision, row.checksum)
        }
    }

    private func checksum(after previous: UInt64) -> UInt64 {
        var checksum = Checksum(previous)
        checksum.add(revision)
        checksum.add(committedAt)
        checksum.add(type)
        checksum.add(payload)
        checksum.add(origin)
        checksum.add(cause)
        checksum.add(changes)
        checksum.add(privateState)
        // The checksums of earlier releases stay right.
        if let actor { checksum.add(actor) }
        return checksum.value
    }
}
