import JSON
import Journal
import StoreHosting
import Stores

/// The claim of a session by one incarnation of a node. Only the holder of the newest claim may append to the session.
struct RedisClaim: Sendable, Equatable {
    let incarnation: Int
    /// As it is stored.
    let text: String

    /// The claim of a new session: an incarnation, and a random number by which the script distinguishes a repeated command from another
    /// one of the same incarnation.
    init(of incarnation: Int) { self.init(stored: "\(incarnation) \(Int.random(in: 1..<1 << 32))") }

    /// - Parameter text: empty if nobody has claimed the session yet.
    init(stored text: String) {
        self.text = text
        incarnation = text.split(separator: " ").first.flatMap { Int($0) } ?? 0
    }
}

/// The place after the newest commit of a session.
struct RedisPosition: Sendable, Equatable {
    var revision = 0
    /// The checksum of the newest commit, or of the header before the first commit.
    var checksum: UInt64
    /// The bytes of all commits that the session ever had.
    var byteCount = 0
    /// When the next timer is due; nil if none is set.
    var nextDeadline: Int?
    /// The number of the newest command of the session's journal.
    var sequence = 0
    /// How many idempotency records this object has stored.
    var answerCount = 0
    /// The last use in the index `:used`.
    var indexedUse = 0

    /// By how many milliseconds the index may be older than the last use.
    private static let indexLag = 60_000

    /// Moves behind a transaction.
    ///
    /// - Returns: the arguments of the script `append`; nil if the transaction does not begin here.
    mutating func append(
        _ transaction: CommitTransaction, _ snapshot: StateSnapshot?, claim: String, expiry: () -> Int
    ) -> RedisArguments? {
        guard transaction.baseRevision == revision else { return nil }
        sequence += 1
        var arguments = RedisArguments(capacity: 1000)
        arguments.add(claim)
        arguments.add(sequence)
        arguments.add(transaction.baseRevision)
        arguments.add(transaction.commits.count)
        for commit in transaction.commits {
            let row = CommitRow(commit, after: checksum)
            (revision, checksum) = (row.revision, row.checksum)
            byteCount += row.byteCount
            arguments.add(row)
        }
        arguments.add(revision)
        arguments.add(checksum)
        arguments.add(byteCount)
        if let last = transaction.commits.last {
            arguments.add(last.committedAt)
            nextDeadline = transaction.nextDeadline
            if last.committedAt - indexedUse > Self.indexLag { indexedUse = last.committedAt }
        } else {
            arguments.add("")
        }
        let answer = transaction.idempotencyRecord
        if answer != nil { answerCount += 1 }
        guard snapshot != nil || transaction.record != nil else { return arguments }
        let row = snapshot.map { snapshot in
            SnapshotRow(
                revision: revision, state: snapshot.json, privateState: snapshot.privateState, chain: checksum)
        }
        arguments.add(row?.encoded ?? [])
        arguments.add(answer.map { String($0.at) } ?? "")
        arguments.add(answer?.encoded ?? [])
        arguments.add(expiry())
        transaction.clients?.add(to: &arguments)
        return arguments
    }
}

/// A session as the script `load` has found it, with verified checksums.
struct RedisStoredSession: Sendable {
    let summary: SessionSummary
    let claim: RedisClaim
    /// Whether its last owner had not given it back.
    let isTakenOver: Bool
    let position: RedisPosition
    /// The revision before the oldest commit.
    let cut: Int
    let snapshot: SnapshotRow?
    /// The commits after the snapshot.
    let rows: [CommitRow]
    /// The newest state, to be replayed.
    let replayable: ReplayableState
    let answers: [IdempotencyRecord]

    var state: StoredState { StoredState(summary.header, revision: position.revision, replayable) }

    /// - Parameters:
    ///   - reply: what the script has found.
    ///   - id: the session's.
    ///   - lineageID: that of the storage; nil to read the name of the history as it is stored.
    init(_ fields: [RedisReply], id: String, _ sealer: any SecretSealer, lineageID: Int?) throws(JournalError) {
        guard fields.count >= 10, let head = fields[1].array, head.count == 13, let sealed = head[0].bytes,
            let header = head[1].bytes, let revision = head[2].integer,
            let chain = head[3].text.flatMap({ UInt64($0) }),
            let cut = head[4].integer, let total = head[5].integer, let shares = head[6].integer,
            let oldLossID = head[7].integer, let initial = fields[2].bytes, let base = fields[3].integer,
            let log = fields[5].array, let known = fields[6].array, let used = fields[7].integer,
            let indexed = fields[9].integer, let grants = head[10].array, let clients = head[12].array
        else { throw .corrupt("the session has no complete record") }
        guard let clear = sealer.open(sealed), String(decoding: clear, as: UTF8.self) == id else {
            throw .corrupt("its id cannot be decrypted with this storage.key")
        }
        let seed: UInt64
        var owner: Subject?
        do throws(RecordReader.Malformed) {
            let header = try SessionHeader(id: id, encoded: header, initial: try StateSnapshot(encoded: initial))
            owner = header.owner
            snapshot = base == 0 ? nil : try SnapshotRow(encoded: fields[4].bytes ?? [])
            answers = try IdempotencyRecord.records(known)
            seed = snapshot?.chain ?? header.checksum
            summary = SessionSummary(
                header: header.renamed(lineageID: lineageID, since: oldLossID), revision: revision, lastActiveAt: used,
                shareGeneration: shares, permits: try PermitRecord.records(grants),
                clients: try ClientRow.rows(clients),
                nextDeadline: fields[8].integer.flatMap { $0 > 0 ? $0 : nil })
        } catch {
            throw .corrupt("a record has a wrong checksum", owner: owner)
        }
        guard base >= cut else { throw .corrupt("the snapshot before the oldest commit is missing", owner: owner) }
        do throws(JournalError) {
            rows = try log.commitRows(after: base, seed: seed)
        } catch {
            throw error.of(owner: owner)
        }
        guard rows.last?.revision ?? base == revision, rows.last?.checksum ?? seed == chain else {
            throw .corrupt(
                "its newest commit is of revision \(revision), but the log ends with \(rows.last?.revision ?? base)",
                owner: owner)
        }
        guard let replayable = RecentCommits(revision: revision).replayBase(for: revision, snapshot, rows) else {
            throw .corrupt("commits are missing", owner: owner)
        }
        self.replayable = replayable
        claim = RedisClaim(stored: head[8].text ?? "")
        isTakenOver = head[9].integer == 1
        self.cut = cut
        position = RedisPosition(
            revision: revision, checksum: chain, byteCount: total, nextDeadline: fields[8].integer,
            indexedUse: indexed)
    }
}

extension IdempotencyRecord {
    fileprivate static func records(_ found: [RedisReply]) throws(RecordReader.Malformed) -> [IdempotencyRecord] {
        try found.map { record throws(RecordReader.Malformed) in
            try IdempotencyRecord(encoded: record.bytes ?? [])
        }
    }
}

extension SessionHeader {
    /// The session with another history if acknowledged commits were lost since it was created: their revisions may be given
    /// to other states.
    func renamed(lineageID: Int?, since oldLossID: Int) -> SessionHeader {
        guard let lineageID, lineageID != oldLossID else { return self }
        return renamed(history: "\(historyID).\(lineageID)")
    }
}

extension SessionSummary {
    /// - Parameters:
    ///   - row: one of those that the script `list` has found.
    ///   - states: the initial states by their keys.
    ///   - lineageID: that of the storage.
    init(
        _ row: RedisReply, _ states: [String: [UInt8]], _ sealer: any SecretSealer, lineageID: Int
    ) throws(JournalError) {
        guard let fields = row.array, fields.count == 10, let sealed = fields[0].bytes, let clear = sealer.open(sealed),
            let header = fields[1].bytes, let revision = fields[2].integer, let shares = fields[3].integer,
            let oldLossID = fields[4].integer, let initial = fields[5].text.flatMap({ states[$0] }),
            let used = fields[6].integer, let due = fields[8].integer
        else { throw .corrupt("a session has no complete record") }
        do throws(RecordReader.Malformed) {
            let header = try SessionHeader(
                id: String(decoding: clear, as: UTF8.self), encoded: header,
                initial: try StateSnapshot(encoded: initial))
            self.init(
                header: header.renamed(lineageID: lineageID, since: oldLossID), revision: revision, lastActiveAt: used,
                shareGeneration: shares, node: fields[7].text.flatMap { $0.isEmpty ? nil : $0 },
                nextDeadline: due > 0 ? due : nil)
        } catch {
            throw .corrupt("a session's record has a wrong checksum")
        }
    }
}

extension SessionUse {
    /// - Parameter row: one of those that the script `uses` has found.
    init(_ row: RedisReply, _ sealer: any SecretSealer) throws(JournalError) {
        guard let fields = row.array, fields.count == 5, let sealed = fields[0].bytes, let header = fields[1].bytes,
            let indexed = fields[2].integer, let used = fields[3].integer
        else { throw .corrupt("a session has no complete record") }
        guard let (kind, owner) = try? SessionHeader.kindAndOwner(encoded: header) else {
            throw .corrupt("a session's record cannot be read")
        }
        self.init(
            id: try RedisJournal.opened(sealed, sealer), kind: kind, owner: owner, lastActiveAt: used, indexed: indexed)
    }
}
