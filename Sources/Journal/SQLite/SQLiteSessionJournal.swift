import Locks
import StoreHosting
import Stores

/// One session's commits on their way to the database, and the newest of them at hand.
final class SQLiteSessionJournal: SessionJournal {
    /// Calls back once so much has been settled.
    fileprivate struct Waiter {
        let order: Int
        let done: @Sendable (JournalError?) -> Void
    }

    fileprivate struct Contents {
        /// What is to be kept in one piece and is not complete yet.
        var open = CommitTransaction()
        /// How many orders the writer was given, and how many of them are settled: kept, or handed over where that is all
        /// that is promised.
        var given = 0
        var settled = 0
        /// In the order in which they are told.
        var waiters: [Waiter] = []
        /// Whether somebody is telling them; whoever comes meanwhile is told by the same.
        var isTelling = false
        /// Why nothing is kept any more.
        var failure: JournalError?
        var hasEnded = false

        /// Where the rows go on; the writer's. Nil until the session has begun.
        var cursor: AppendPosition?
        var tail: RecentCommits
        var rule: SnapshotPolicy
        /// What only the store knows of the newest state; nil where that is as at revision 0.
        var hidden: [UInt8]?

        /// When it was used, and the newest of these moments that the writer was told.
        var lastUse = 0
        var notedUse = 0
    }

    private let writer: Writer
    private let id: String
    // Guards the rest. Taken inside the store's lock; inside it only the writer's inbox is locked.
    private let contents: Locked<Contents>

    /// A session that begins, or one that was found where `cursor` says.
    init(
        _ writer: Writer, id: String, _ rule: SnapshotPolicy, revision: Int = 0, hidden: [UInt8]? = nil,
        cursor: AppendPosition? = nil, lastUse: Int = 0
    ) {
        self.writer = writer
        self.id = id
        contents = Locked(
            Contents(
                cursor: cursor, tail: RecentCommits(revision: revision), rule: rule, hidden: hidden, lastUse: lastUse,
                notedUse: lastUse))
    }

    deinit {
        let (tailBytes, number, use) = contents.withLock { contents in
            let use = contents.lastUse > contents.notedUse && !contents.hasEnded ? contents.lastUse : nil
            return (contents.tail.extent, contents.cursor?.number, use)
        }
        writer.tails.remove(tailBytes)
        if let number, let use { writer.note(use: use, of: number) }
    }

    func begin(_ session: SessionHeader) {
        contents.withLock { contents in
            contents.lastUse = session.createdAt
            contents.notedUse = session.createdAt
            give(.begin(self, session), &contents)
        }
        settleHandedOver()
    }

    func append(_ record: CommitRecord, _ state: borrowing StateView) {
        let isComplete = contents.withLock { contents in
            guard contents.failure == nil, !contents.hasEnded else { return false }
            contents.hidden = record.hidden ?? contents.hidden
            contents.open.records.append(record)
            if contents.rule.wantsSnapshot(after: record) {
                let json = state.encoded(.whole)
                contents.open.snapshots.append(
                    .init(revision: record.revision, state: json, hidden: contents.hidden))
                contents.rule.take(json.count, at: record.revision)
            }
            writer.tails.add(contents.tail.append(record, within: writer.tails.share))
            guard record.endsUnit else { return false }
            handOver(&contents)
            return true
        }
        if isComplete { settleHandedOver() }
    }

    func keep(_ answer: IdempotencyRecord) {
        contents.withLock { contents in
            guard contents.failure == nil, !contents.hasEnded else { return }
            contents.open.answer = answer
            handOver(&contents)
        }
        settleHandedOver()
    }

    func end(at moment: Int) {
        contents.withLock { contents in
            guard !contents.hasEnded else { return }
            handOver(&contents)
            contents.hasEnded = true
            give(.end(self, id: id, at: moment), &contents)
        }
        settleHandedOver()
    }

    func whenDurable(_ done: @escaping @Sendable (JournalError?) -> Void) {
        let isDurable = contents.withLock { contents in
            if contents.isDurable { return true }
            let order = contents.failure == nil ? contents.given + (contents.open.isEmpty ? 0 : 1) : .max
            contents.waiters.append(Waiter(order: order, done: done))
            return false
        }
        if isDurable { done(nil) } else { tell() }
    }

    var isDurable: Bool { contents.withLock(\.isDurable) }

    var hasFailed: Bool { contents.withLock { $0.failure != nil } }

    func recent(after revision: Int, limit: Int) -> [CommitRecord]? {
        contents.withLock { $0.tail.records(after: revision, limit: limit) }
    }

    func entries(
        after revision: Int, limit: Int, done: @escaping @Sendable (Result<[CommitRecord]?, JournalError>) -> Void
    ) {
        // Taken before the rows are read: what is in neither was not there when they were.
        let (tail, number) = contents.withLock { ($0.tail, $0.cursor?.number) }
        if let recent = tail.records(after: revision, limit: limit) { return done(.success(recent)) }
        guard let number else { return done(.success(nil)) }
        writer.readers.read(done) { reader throws(JournalError) in
            guard let rows = try reader.commits(of: number, after: revision, limit: limit) else { return nil }
            // Where the writer was quicker than the tail is long, what is read is all that is new.
            let rest = tail.records(after: rows.last?.revision ?? revision, limit: limit - rows.count)
            return rows + (rest ?? [])
        }
    }

    func past(_ revision: Int, done: @escaping @Sendable (Result<ReplayableState?, JournalError>) -> Void) {
        let (tail, number) = contents.withLock { ($0.tail, $0.cursor?.number) }
        // Of a session that the writer has not begun yet, all that there is is at hand.
        guard let number else { return done(.success(tail.past(revision, of: nil, []))) }
        writer.readers.read(done) { reader throws(JournalError) in
            try reader.past(revision, of: number, and: tail)
        }
    }

    func touch(_ moment: Int) {
        let number: Int? = contents.withLock { contents in
            contents.lastUse = max(contents.lastUse, moment)
            guard let number = contents.cursor?.number, moment - contents.notedUse >= 60_000, !contents.hasEnded else {
                return nil
            }
            contents.notedUse = moment
            return number
        }
        if let number { writer.note(use: moment, of: number) }
    }
}

extension SQLiteSessionJournal {
    /// Gives the open unit to the writer, if there is anything in it.
    private func handOver(_ contents: inout Contents) {
        guard !contents.open.isEmpty else { return }
        give(.keep(self, contents.open), &contents)
        contents.open = CommitTransaction()
    }

    private func give(_ order: WriteCommand, _ contents: inout Contents) {
        contents.given += 1
        writer.give(order)
        if writer.settlesAtOnce { contents.settled = contents.given }
    }

    /// Tells who waits for no more than that the writer has it.
    private func settleHandedOver() {
        if writer.settlesAtOnce { tell() }
    }

    /// Calls back who waits for what is settled by now, in their order.
    func tell() {
        while true {
            let (due, failure) = contents.withLock { contents in
                (contents.takeDue(), contents.failure)
            }
            guard let due else { return }
            for waiter in due.kept { waiter.done(nil) }
            for waiter in due.failed { waiter.done(failure) }
            contents.withLock { $0.isTelling = false }
        }
    }

    /// Where the writer's next row of it goes, nil where it has not begun; or why it keeps nothing any more.
    var place: Result<AppendPosition?, JournalError> {
        contents.withLock { contents in contents.failure.map { .failure($0) } ?? .success(contents.cursor) }
    }

    /// The writer is over with the oldest order that it had not settled. Who waits is to be told.
    ///
    /// - Parameter cursor: where the rows go on now.
    func settle(_ cursor: AppendPosition?) {
        contents.withLock { contents in
            contents.cursor = cursor ?? contents.cursor
            if let cursor { writer.tails.add(contents.tail.keep(upTo: cursor.revision, within: writer.tails.share)) }
            if !writer.settlesAtOnce { contents.settled += 1 }
        }
    }

    /// Nothing that it was given and is not settled will be kept, nor what it is given from now on. Who waits is to be told.
    func fail(_ failure: JournalError) {
        contents.withLock { contents in
            contents.failure = contents.failure ?? failure
            contents.open = CommitTransaction()
            writer.tails.add(contents.tail.dropUnkept())
        }
    }
}

extension SQLiteSessionJournal.Contents {
    fileprivate var isDurable: Bool {
        failure == nil && open.isEmpty && settled == given && waiters.isEmpty && !isTelling
    }

    /// Takes out who is to be told now; nil where that is nobody, or somebody else is telling.
    fileprivate mutating func takeDue() -> (
        kept: [SQLiteSessionJournal.Waiter], failed: [SQLiteSessionJournal.Waiter]
    )? {
        guard !isTelling, let first = waiters.first, failure != nil || first.order <= settled else { return nil }
        isTelling = true
        let settled = settled
        let count = waiters.firstIndex { $0.order > settled } ?? waiters.count
        let due = (kept: Array(waiters.prefix(count)), failed: failure == nil ? [] : Array(waiters.dropFirst(count)))
        waiters.removeFirst(failure == nil ? count : waiters.count)
        return due
    }
}
