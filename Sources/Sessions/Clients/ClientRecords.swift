package import StoreHosting

/// The records of the clients of one session, and the decisions about their requests.
///
/// Times are in milliseconds of session time. A change that is returned must be written with the commit that it belongs to.
/// It is used inside the store's lock, or by a request whose turn it is.
package struct ClientRecords: Sendable {
    package enum Created: Sendable, Equatable {
        case made(ClientChange)
        case known
        /// No further client fits for that many seconds.
        case full(retryAfter: Int)
    }

    package enum Plan: Sendable, Equatable {
        /// The client has no record.
        case forgotten
        /// Another entry has the number, or its outcome is not kept any more. The outcomes of these numbers are kept.
        case conflict(from: Int, through: Int)
        /// The outcomes of the numbers from `from` on are known. Entries behind them are to be run.
        case run(replays: [KeptOutcome], from: Int)
    }

    private static let day = 86_400_000

    let limits: ClientLimits
    private let keyID: Int
    private(set) var records: [ClientKey: ClientRecord] = [:]
    /// How many records have decided entries, and how many bytes all of them have.
    private(set) var decidedCount = 0
    private(set) var byteCount = 0
    /// Records that were forgotten, and are still stored.
    private var dropped: [String] = []
    private var streams: [ClientKey: Int] = [:]
    /// The running and waiting requests of the clients.
    package var turns = ClientTurns()
    var log = DecisionLog()

    /// - Parameter keyID: of the ``EntryHasher`` whose hashes are given.
    package init(_ limits: ClientLimits = ClientLimits(), keyID: Int) {
        self.limits = limits
        self.keyID = keyID
    }

    /// Takes the records of a session that was loaded.
    ///
    /// - Returns: the marks of those that this program cannot read. They stay in storage.
    package mutating func restore(_ rows: [ClientRow], now: Int) -> [String] {
        rows.compactMap { row in
            guard let record = ClientRecord(row, keyID: keyID, now: now) else { return row.mark }
            set(record)
            return nil
        }
    }

    /// Begins the record of a client.
    ///
    /// - Parameter mark: makes a random text of ``ClientRow/markLength`` characters.
    package mutating func create(_ key: ClientKey, mark: () -> String, now: Int) -> Created {
        if records[key] != nil { return .known }
        if let retryAfter = retryAfter(for: key, now) { return .full(retryAfter: retryAfter) }
        for record in records.values where now - record.usedAt > limits.retention && !isInUse(record.key) {
            forget(record)
        }
        guard makeRoomForEmpty(of: key.actor) else { return .full(retryAfter: 1) }
        let marks = Set(records.values.map(\.mark))
        var text = mark()
        while marks.contains(text) { text = mark() }
        var record = ClientRecord(key, mark: text, now: now)
        let row = record.row(keyID: keyID)
        set(record)
        return .made(change(row))
    }

    /// Why entries from a number on are refused, whatever they are; nil if they have to be compared.
    package func refusal(of key: ClientKey, from: Int) -> SessionFailure.Client? {
        guard let record = records[key] else { return .forgotten }
        return from < record.from ? .conflict(from: record.from, through: record.last) : nil
    }

    /// Compares the entries of a request with the kept outcomes, before any entry is run. Forgets the outcomes below `from`.
    ///
    /// - Parameter hashes: of the entries from number `from` on; empty for a request that only reads.
    package mutating func plan(_ key: ClientKey, from: Int, _ hashes: [EntryHash]) -> Plan {
        guard var record = records[key] else { return .forgotten }
        let known = record.outcomes.dropFirst(max(0, from - record.from))
        let isKept = from >= record.from && zip(known, hashes).allSatisfy { $0.mayBe(of: $1) }
        guard isKept || hashes.isEmpty else { return .conflict(from: record.from, through: record.last) }
        record.forget(below: from)
        set(record)
        let replays = hashes.isEmpty ? Array(known) : Array(known.prefix(hashes.count))
        return .run(replays: replays, from: max(from, record.from))
    }

    /// Keeps the outcomes up to that of an entry: its own, and those in front of it that waited for a commit.
    ///
    /// - Returns: nil if the client has no record.
    package mutating func decide(_ tag: EntryTag, _ outcomes: [KeptOutcome], now: Int) -> ClientChange? {
        advance(tag)
        guard var record = records[tag.key] else { return nil }
        record.keep(outcomes, through: tag)
        record.usedAt = now
        let row = record.row(keyID: keyID)
        set(record)
        return change(row)
    }

    /// Lets events name an entry, once. Called for its commit, in front of ``decide(_:_:now:)``.
    package mutating func advance(_ tag: EntryTag) {
        guard records[tag.key]?.tell(tag.number, decision: log.last + 1) == true else { return }
        log.append(tag.key, recordCount: records.count)
    }

    /// The client was heard of.
    ///
    /// - Returns: the change to write; nil unless the stored time is older than a day.
    package mutating func use(_ key: ClientKey, now: Int) -> ClientChange? {
        guard var record = records[key] else { return nil }
        record.usedAt = now
        let row = now - record.storedUse > Self.day ? record.row(keyID: keyID) : nil
        set(record)
        return row.map { change($0) }
    }

    /// The mark of a client, and the number of its last decided entry, which is 0 if none was; nil without a record.
    package func last(of key: ClientKey) -> (mark: String, number: Int)? {
        records[key].map { ($0.mark, $0.last) }
    }

    /// A client with an open stream is in use, also before it has a record.
    package mutating func streamOpened(_ key: ClientKey) { streams[key, default: 0] += 1 }

    package mutating func streamClosed(_ key: ClientKey, now: Int) {
        records[key]?.usedAt = now
        guard let count = streams[key] else { return }
        streams[key] = count > 1 ? count - 1 : nil
    }

    /// Whether a request of the client runs, or a stream of it is open.
    func isInUse(_ key: ClientKey) -> Bool { streams[key] != nil || turns.isRunning(key) }

    mutating func forget(_ record: ClientRecord) {
        records[record.key] = nil
        byteCount -= record.byteCount
        if !record.isEmpty { decidedCount -= 1 }
        dropped.append(record.mark)
    }

    private mutating func set(_ record: ClientRecord) {
        let earlier = records.updateValue(record, forKey: record.key)
        byteCount += record.byteCount - (earlier?.byteCount ?? 0)
        if !record.isEmpty && earlier?.isEmpty != false { decidedCount += 1 }
    }

    private mutating func change(_ row: ClientRow) -> ClientChange {
        defer { dropped = [] }
        return ClientChange(put: row, dropped: dropped)
    }
}
