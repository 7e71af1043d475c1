import JSON
import Locks
import Platform
import Security
import StoreHosting
import Stores

/// The entries of a client that are to be run in a session, one after the other, and what becomes of them.
///
/// One request runs them, on one thread at a time.
package final class EntryRun: Sendable {
    let client: ClientKey
    let session: Session
    private let request: SyncRequest
    /// Whether the client begins its record.
    private let isNew: Bool
    private let entries: [Entry]
    /// The number of the first of the entries.
    private let first: Int
    /// The kept outcomes of the numbers in front of it.
    private let replays: [KeptOutcome]
    private let limits: Limits
    // Guards what was decided. Nothing is called while it is held.
    private let progress: Locked<Progress>

    struct Entry: Sendable {
        let content: SyncBody.Entry
        let hash: EntryHash
    }

    /// The checks and the encoding of problems, which the session does not know.
    struct Limits: Sendable {
        /// Requires that an entry of so many actions may be run now.
        let admit: @Sendable (_ actionCount: Int) throws(SessionFailure) -> Void
        /// Makes the problem that a client reads.
        let encode: @Sendable (SessionFailure) -> [UInt8]
    }

    private struct Progress {
        /// How many entries have been begun.
        var begun = 0
        var outcomes: [KeptOutcome] = []
        /// How many of them, the last ones, are in no record yet.
        var waitingCount = 0
        /// Why the next entries are not run.
        var failure: SessionFailure?
        var committedAt: MonotonicInstant?
    }

    /// - Parameters:
    ///   - first: the number of the first of the entries.
    ///   - replays: the kept outcomes of the numbers in front of it, which the answer has too.
    ///   - failure: why further entries of the request are not run; nil if there are none.
    init(
        of client: ClientKey, in session: Session, _ request: SyncRequest, isNew: Bool = false, _ entries: [Entry] = [],
        from first: Int, replays: [KeptOutcome] = [], _ limits: Limits, failure: SessionFailure? = nil
    ) {
        self.client = client
        self.session = session
        self.request = request
        self.isNew = isNew
        self.entries = entries
        self.first = first
        self.replays = replays
        self.limits = limits
        progress = Locked(Progress(failure: failure))
    }

    /// The run without its entries, which are not run because of a failure.
    func without(_ failure: SessionFailure) -> EntryRun {
        EntryRun(of: client, in: session, request, from: first, replays: replays, limits, failure: failure)
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether it takes long, however small the state is.
    var isLong: Bool { entries.reduce(0) { $0 + $1.content.actions.count } > 500 }

    /// The length of the request; 0 if nothing of it is run.
    var byteCount: Int { isEmpty ? 0 : request.bytes.count }
}

// The entries.
extension EntryRun {
    /// The next entry as a request of its own; nil if none is left that may be run now.
    func next() -> ActionRequest? {
        let index = progress.withLock { $0.failure == nil ? $0.begun : entries.count }
        guard index < entries.count else { return nil }
        let entry = entries[index]
        do throws(SessionFailure) {
            try limits.admit(entry.content.actions.count)
        } catch {
            progress.withLock { $0.failure = error }
            return nil
        }
        progress.withLock { $0.begun += 1 }
        let tag = EntryTag(client, first + index)
        let json = entry.content.json
        return ActionRequest(
            body: json.encoded(), json: json, selection: nil, expected: entry.content.expected, isDryRun: false,
            key: nil, wait: nil, appliedPreference: nil, trace: request.trace, requestID: request.requestID,
            hidesEffects: request.hidesEffects, tag: tag
        ) { [self] in
            record($0, tag, entry.hash)
        }
    }

    /// Records the outcome of an entry that the store has decided. Called inside the store.
    private func record(_ result: DispatchResult, _ tag: EntryTag, _ hash: EntryHash) -> DispatchRecord? {
        guard let decision = KeptOutcome.Decision(result) else { return nil }
        keep(KeptOutcome(hash, revision: result.revision, decision))
        return recordWaiting(tag).map(DispatchRecord.client)
    }

    /// Takes the result of the entry that was begun last.
    func take(_ result: SessionResult) throws(SessionFailure) {
        if let moment = result.committedAt { progress.withLock { $0.committedAt = moment } }
        if case .refused(let failure) = result.content { try take(failure) }
    }

    /// Takes the refusal of the entry that was begun last.
    func take(_ failure: SessionFailure) throws(SessionFailure) {
        if case .detached = failure { throw failure }
        let index = progress.withLock { $0.outcomes.count < $0.begun ? $0.outcomes.count : nil }
        // Otherwise the store has decided it.
        guard let index else { return }
        switch failure {
        case .action(.refused), .forbidden(.action):
            let hash = entries[index].hash
            keep(KeptOutcome(hash, revision: session.store.revision, .refused(problem: problem(failure))))
        default: progress.withLock { $0.failure = failure }
        }
    }

    private func problem(_ failure: SessionFailure) -> [UInt8] {
        let problem = limits.encode(failure)
        return problem.count <= KeptOutcome.maxProblemBytes ? problem : limits.encode(failure.withoutInput)
    }

    private func keep(_ outcome: KeptOutcome) {
        progress.withLock { progress in
            progress.outcomes.append(outcome)
            progress.waitingCount += 1
        }
    }

    /// Takes the outcomes that waited into the record of the client. Called inside the store.
    ///
    /// - Parameter tag: of the last of them.
    private func recordWaiting(_ tag: EntryTag) -> ClientChange? {
        let waiting = progress.withLock { progress in
            defer { progress.waitingCount = 0 }
            return Array(progress.outcomes.suffix(progress.waitingCount))
        }
        return session.clients.withRecords { $0.decide(tag, waiting, now: session.sessionTime) }
    }
}

// The end.
extension EntryRun {
    /// Whether any entry was decided.
    var hasDecided: Bool { progress.withLock { !$0.outcomes.isEmpty } }

    /// When the store has committed the last of the entries; nil if it has committed none.
    var committedAt: MonotonicInstant? { progress.withLock(\.committedAt) }

    /// Records the outcomes that are in no record yet, and makes the answer. Called inside the store.
    func end(in state: borrowing StateView) throws(SessionFailure) -> SyncAnswer {
        if session.continuesElsewhere { throw .detached }
        let (outcomes, failure) = progress.withLock { ($0.outcomes, $0.failure) }
        if outcomes.isEmpty, session.hasEnded { throw .absent(.endedMeanwhile) }
        if let change = try change(outcomes.count) {
            session.journal?.append(
                CommitTransaction(baseRevision: state.revision, record: .client(change)), state)
        }
        guard let (mark, last) = session.clients.withRecords({ $0.last(of: client) }) else {
            throw .client(.forgotten)
        }
        let results = results(replays, from: first - replays.count, true) + results(outcomes, from: first, false)
        if let failure, results.isEmpty, !failure.isLackOfRoom { throw failure }
        for result in results {
            session.runtime.metrics.answered(result.outcome.decision, isReplayed: result.isReplayed)
        }
        return SyncAnswer(
            mark: mark, through: last, results: results, retryAfter: failure?.secondsToWait, request: request)
    }

    /// The change of the record that no entry has made; nil if there is none.
    private func change(_ decidedCount: Int) throws(SessionFailure) -> ClientChange? {
        if decidedCount > 0 {
            let hasWaiting = progress.withLock { $0.waitingCount > 0 }
            return hasWaiting ? recordWaiting(EntryTag(client, first + decidedCount - 1)) : nil
        }
        let now = session.sessionTime
        if isNew {
            let created = session.clients.withRecords { $0.create(client, mark: ClientRow.randomMark, now: now) }
            switch created {
            case .made(let change): return change
            case .known: break
            case .full(let retryAfter): throw .client(.tooMany(retryAfter: retryAfter))
            }
        }
        return session.clients.withRecords { $0.use(client, now: now) }
    }

    private func results(_ outcomes: [KeptOutcome], from first: Int, _ areReplays: Bool) -> [SyncAnswer.Result] {
        outcomes.enumerated().map { index, outcome in
            SyncAnswer.Result(number: first + index, outcome: outcome, isReplayed: areReplays)
        }
    }
}

extension KeptOutcome.Decision {
    /// Nil if the store has decided nothing.
    fileprivate init?(_ result: DispatchResult) {
        switch result.outcome {
        case .committed: self = .committed(effects: result.effects.map(\.description))
        case .ignored: self = .ignored
        case .rejected(let rejection, let index): self = .rejected(reason: rejection.reason, index: index)
        case .revisionMismatch: self = .mismatched
        case .refused, .forbidden, .overloaded, .ended: return nil
        }
    }
}

extension ClientRow {
    fileprivate static func randomMark() -> String {
        let byteCount = markLength * 3 / 4
        return Base64URL.encode((0..<byteCount).map { _ in .random(in: .min ... .max) })
    }
}

extension SessionFailure {
    /// Whether there is no room for an entry now, which an answer can tell also if nothing was run.
    var isLackOfRoom: Bool {
        switch self {
        case .unavailable(.rate), .unavailable(.memory), .unavailable(.threads), .unavailable(.actions): true
        default: false
        }
    }

    /// After how many seconds the same can succeed; nil if time does not help.
    fileprivate var secondsToWait: Int? {
        switch self {
        case .unavailable(.rate(_, let seconds)), .unavailable(.memory(let seconds)): seconds
        case .unavailable: 1
        default: nil
        }
    }
}
