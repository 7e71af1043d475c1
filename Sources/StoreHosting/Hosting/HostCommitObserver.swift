import CFaultNote
import JSON
public import Stores

/// Connects one store with its recorder: encodes each commit, and appends the commits of each dispatch as one
/// transaction.
///
/// There is one per store, and many sessions are idle: what is needed only after the first commit is made with it.
@usableFromInline
final class HostCommitObserver<State: DiffableState, Action: Sendable>: CommitObserver, StateSource {
    private let coding: KindCoding<State, Action>
    private let recorder: (any CommitRecorder)?
    private let sealer: (any SecretSealer)?
    /// The largest state, in bytes of its JSON.
    private let maxStateBytes: Int
    /// Names the store in the line that is written if its code ends the process.
    private let note: fault_note
    /// Nil before the first commit of a store that began with the kind's own initial state.
    private var bookkeeping: HostBookkeeping?

    @usableFromInline
    init(
        _ coding: KindCoding<State, Action>, _ recorder: (any CommitRecorder)?, _ sealer: (any SecretSealer)?,
        maxStateBytes: Int, label: String
    ) {
        self.coding = coding
        note = coding.names.note(label)
        self.maxStateBytes = maxStateBytes
        self.recorder = recorder
        self.sealer = sealer
    }

    /// The commits of the newest dispatch that committed something.
    @usableFromInline var commits: [CommitRecord] { bookkeeping?.commits ?? [] }

    /// Begins with a state that was persisted.
    @usableFromInline
    func restore(
        _ baseline: RestoredBaseline, _ encoding: StateEncoding?,
        _ contents: StoreCore<State, Action>.ContentsPointer
    ) {
        let bookkeeping = HostBookkeeping(
            baseline.encoded, at: contents.pointee.revision, byteCount: baseline.byteCount,
            privateBaseline: baseline.privateState)
        bookkeeping.pendingMigration = baseline.migration
        bookkeeping.encoding = encoding
        self.bookkeeping = bookkeeping
        contents.pointee.asksBeforeCommit = bookkeeping.size.isNear(maxStateBytes)
    }

    /// Sets the record that is persisted with the commits of the dispatch in progress.
    @usableFromInline
    func set(_ record: IdempotencyRecord) { madeBookkeeping().idempotencyRecord = record }

    // MARK: CommitObserver

    @usableFromInline
    func committed(_ commit: borrowing Commit<State, Action>, at moment: Int) {
        let bookkeeping = madeBookkeeping()
        let (changes, privateState) = changes(in: commit.statePlace, since: bookkeeping, commit.revision)
        let (type, payload) = coding.describe(commit.action) ?? ("undeclared", [:])
        bookkeeping.recordCommit(
            CommitRecord(
                revision: commit.revision, type: type, payload: payload, origin: commit.origin, cause: commit.cause,
                committedAt: moment, changes: changes, privateState: privateState))
    }

    @usableFromInline
    func willReduce(_ action: Action, isNamed: Bool) {
        if isNamed { return FaultNote.set(note) }
        FaultNote.set(
            note, type: coding.describe(action).flatMap { coding.index($0.type) }.flatMap(coding.names.type))
    }

    @usableFromInline
    func admits(
        _ state: State, from origin: Origin, _ contents: StoreCore<State, Action>.ContentsPointer
    ) -> Bool {
        guard maxStateBytes < .max else { return true }
        let bookkeeping = madeBookkeeping()
        return bookkeeping.size.admits(
            growth: bookkeeping.growth(to: state), limit: StateSize.limit(maxStateBytes, for: origin),
            next: { encoder.json(of: state).count },
            current: { root(contents.pointee.state, at: contents.pointee.revision).count })
    }

    @usableFromInline
    func faultOfLosing(_ action: Action, from origin: Origin, at moment: Int) -> StoreFault? {
        guard madeBookkeeping().reportsLoss(at: moment) else { return nil }
        return .stateTooLarge(
            origin, type: coding.describe(action)?.type ?? "", label: FaultNames.label(of: note))
    }

    @usableFromInline
    func dispatchEnded(_ contents: StoreCore<State, Action>.ContentsPointer) {
        defer { FaultNote.clear() }
        let deadline = contents.pointee.pending == nil ? nil : contents.pointee.nextDeadline
        let revision = contents.pointee.revision
        guard let bookkeeping,
            let transaction = bookkeeping.takeTransaction(at: revision, nextDeadline: deadline)
        else { return }
        if bookkeeping.size.isNear(maxStateBytes) || contents.pointee.asksBeforeCommit {
            contents.pointee.asksBeforeCommit = bookkeeping.size.update(limit: maxStateBytes) {
                root(contents.pointee.state, at: revision).count
            }
        }
        recorder?.append(transaction, view(of: contents))
    }

    @usableFromInline
    func isDurable(through revision: Int) -> Bool { recorder?.isDurable(through: revision) ?? true }

    @usableFromInline
    func whenDurable(through revision: Int, _ done: @escaping @Sendable (Bool) -> Void) {
        guard let recorder else { return done(true) }
        recorder.whenDurable(through: revision) { failure in done(failure == nil) }
    }

    private var encoder: StateEncoder<State> { coding.encoder }

    // MARK: The state as JSON

    /// A view that is valid as long as the store's lock is held.
    @inlinable
    func view(of contents: StoreCore<State, Action>.ContentsPointer) -> StateView {
        StateView(revision: contents.pointee.revision, self, contents)
    }

    @usableFromInline
    func encoded(_ selection: Selection, at revision: Int, _ contents: UnsafeRawPointer) -> [UInt8] {
        if let json = shortRoot(at: revision) {
            switch selection {
            case .root: return json
            case .pointer(let pointer): return pointer.found(in: json)
            case .named: break
            }
        }
        // The state has the address of the contents.
        let state = contents.assumingMemoryBound(to: State.self)
        return encoder.encode(selection, of: state) { root(state.pointee, at: revision) }
    }

    /// The state as it is persisted.
    @usableFromInline
    func snapshot(of state: State, at revision: Int) -> StateSnapshot {
        StateSnapshot(json: root(state, at: revision), privateState: encoder.privateState(of: state, persistedSecrets))
    }

    /// The patch from the newest state to `state`, which is not committed; nil if `state` cannot be encoded.
    @usableFromInline
    func previewPatch(to state: State) -> EncodedPatch? { (bookkeeping ?? newBookkeeping()).previewPatch(to: state) }

    /// Commits the pending migration, which made `state`, as the revision `revision`.
    @usableFromInline
    func commitMigration(_ state: State, as revision: Int, at moment: Int) {
        guard let bookkeeping, let migration = bookkeeping.pendingMigration else { return }
        bookkeeping.pendingMigration = nil
        bookkeeping.recordCommit(
            migration.record(
                snapshot(of: state, at: revision), schema: encoder.schema, revision: revision, at: moment))
        bookkeeping.baselineRevision = revision
    }

    @usableFromInline var hasPendingMigration: Bool { bookkeeping?.pendingMigration != nil }

    /// The whole state as JSON. Each revision is encoded once, however often it is asked for.
    private func root(_ state: State, at revision: Int) -> [UInt8] {
        if let json = shortRoot(at: revision) { return json }
        guard let bookkeeping else { return encoder.json(of: state) }
        if let newest = bookkeeping.encoding, newest.revision == revision { return newest.json }
        let encoding = encoder.encoding(of: state, at: revision, after: bookkeeping.encoding)
        bookkeeping.encoding = encoding
        return encoding.json
    }

    /// The whole state as JSON, if it is known without encoding it; it is not long then.
    private func shortRoot(at revision: Int) -> [UInt8]? {
        guard let bookkeeping else { return revision == 0 ? encoder.initial.json : nil }
        return encoder.visitsWhatItEncodes ? bookkeeping.text(at: revision) : nil
    }

    /// The changes since the last commit, and the private part of the state if that has changed too.
    private func changes(
        in state: UnsafePointer<State>, since bookkeeping: HostBookkeeping, _ revision: Int
    ) -> (changes: EncodedPatch, privateState: [UInt8]?) {
        let state = InPlace.at(state)
        let found = bookkeeping.findChanges(at: revision) { state.pointee.value.findChanges(&$0) }
        let patch = found.patch
        guard encoder.hasPrivateState else { return (patch, nil) }
        // Compared in clear even if it will be sealed: sealing the same secret twice gives different bytes.
        var members = PrivateStateEncoder(found.takeWriter(), clearSecrets)
        encoder.encodePrivateState(of: state.pointee.value, into: &members)
        if let failure = members.failure { fatalError(failure) }
        guard bookkeeping.updatePrivateBaseline(members) else { return (patch, nil) }
        return (patch, encoder.privateState(of: state.pointee.value, persistedSecrets))
    }

    private var clearSecrets: PrivateStateEncoder.Secrets { .inMemory(sealer) }

    private var persistedSecrets: PrivateStateEncoder.Secrets { sealer.map { .sealed($0) } ?? .leftOut }

    private func madeBookkeeping() -> HostBookkeeping {
        if let bookkeeping { return bookkeeping }
        let bookkeeping = newBookkeeping()
        self.bookkeeping = bookkeeping
        return bookkeeping
    }

    private func newBookkeeping() -> HostBookkeeping {
        HostBookkeeping(
            encoder.initialBaseline, at: 0, byteCount: encoder.initial.json.count,
            privateBaseline: encoder.initial.privateState ?? [])
    }
}

/// How the states and the actions of one kind are encoded. All of its stores share it.
@usableFromInline
final class KindCoding<State: DiffableState, Action: Sendable>: Sendable {
    let encoder: StateEncoder<State>
    let names: FaultNames
    let describe: @Sendable (Action) -> ActionSchema<Action>.Description?
    /// The index of an action's type among the declarations.
    let index: @Sendable (String) -> Int?

    @usableFromInline
    init(_ encoder: StateEncoder<State>, _ catalogue: ActionSchema<Action>, _ names: FaultNames) {
        self.encoder = encoder
        self.names = names
        describe = catalogue.encoder
        index = catalogue.index
    }
}

/// A value that is read where it is. Reading a copyable value through a pointer copies it, and retains and releases all that
/// it refers to.
private struct InPlace<Value>: ~Copyable {
    let value: Value

    static func at(_ place: UnsafePointer<Value>) -> UnsafePointer<Self> {
        UnsafeRawPointer(place).assumingMemoryBound(to: Self.self)
    }
}

/// What the next diff of a restored state needs. The stores that begin with the state share it.
@usableFromInline
struct RestoredBaseline: Sendable {
    let encoded: EncodedBaseline
    /// The size of the state as JSON, or about that.
    let byteCount: Int
    let privateState: [UInt8]
    /// The migration that made the state; nil if it is as it was persisted.
    let migration: PendingMigration?

    @usableFromInline
    init<State: DiffableState>(
        of state: State, byteCount: Int, _ encoder: StateEncoder<State>, _ sealer: (any SecretSealer)?,
        _ migration: PendingMigration?
    ) throws(RestorationError) {
        self.byteCount = byteCount
        do throws(EncodingFailure) {
            encoded = try EncodedBaseline(of: state, like: encoder.initialBaseline)
        } catch {
            throw .unreadable(.state, at: .root, "cannot be encoded again. \(error)")
        }
        privateState = encoder.privateState(of: state, .inMemory(sealer)) ?? []
        self.migration = migration
    }
}

extension PrivateStateEncoder.Secrets {
    /// The secrets of a baseline: in clear if they are persisted at all.
    fileprivate static func inMemory(_ sealer: (any SecretSealer)?) -> Self { sealer == nil ? .leftOut : .clear }
}

/// What a host remembers of one store: its newest state as JSON, which is the baseline of the next diff, and the commits of the
/// newest dispatch.
///
/// The store's lock guards it. The compiler's own checks of access are off, because they would cost more than the accesses.
@usableFromInline
final class HostBookkeeping {
    /// The newest state as JSON if it was asked for, and the baseline does not have it.
    var encoding: StateEncoding?
    /// The commits of the newest dispatch that committed something.
    @exclusivity(unchecked) private(set) var commits: [CommitRecord] = []
    /// The response to the dispatch in progress, which is persisted with its commits.
    var idempotencyRecord: IdempotencyRecord?
    /// The migration that becomes the first commit when the store resumes.
    var pendingMigration: PendingMigration?
    @exclusivity(unchecked) private var hasOpenTransaction = false
    @exclusivity(unchecked) private var baseline: EncodedBaseline
    /// The revision of the state that the baseline is of.
    @exclusivity(unchecked) var baselineRevision: Int
    /// The private part of the newest state as JSON, its secrets in clear if they are persisted at all.
    private var privateBaseline: [UInt8]
    /// The size of the newest state.
    @exclusivity(unchecked) var size: StateSize
    private var lastReportedLoss: Int?

    /// - Parameters:
    ///   - baseline: of the state before the first commit.
    ///   - revision: of that state.
    ///   - byteCount: the size of that state as JSON.
    ///   - privateBaseline: the private part of that state.
    init(_ baseline: EncodedBaseline, at revision: Int, byteCount: Int, privateBaseline: [UInt8]) {
        self.baseline = baseline
        baselineRevision = revision
        size = StateSize(byteCount)
        self.privateBaseline = privateBaseline
    }

    /// The whole state at `revision` as JSON, if the newest diff has written it.
    func text(at revision: Int) -> [UInt8]? {
        baselineRevision == revision && baseline.isComplete ? baseline.text : nil
    }

    /// Finds what has changed in the state, which is now at `revision`, since the last call.
    func findChanges(at revision: Int, _ visit: (inout StateDiffer) -> Void) -> DiffResult {
        let found = baseline.update(visit)
        // The state is in place, so the action cannot be rejected any more. Showing and persisting anything else than the state
        // would lose data, without anybody's notice.
        if let failure = found.failure { fatalError(failure) }
        baselineRevision = revision
        size.grow(by: found.growth)
        return found
    }

    /// By how many bytes `state`, which is not committed, is larger than the newest state, or more.
    func growth(to state: some DiffableState) -> Int {
        var copy = baseline
        return copy.update(state.findChanges).growth
    }

    /// - Returns: whether the private part differs from that of the state before.
    func updatePrivateBaseline(_ members: borrowing PrivateStateEncoder) -> Bool {
        members.json.withBytes { new in
            if privateBaseline.withUnsafeBytes({ EncodedBaseline.areEqual($0, UnsafeRawBufferPointer(new)) }) {
                return false
            }
            privateBaseline = Array(new)
            return true
        }
    }

    /// The patch from the newest state to `state`, which is not committed; nil if `state` cannot be encoded.
    func previewPatch(to state: some DiffableState) -> EncodedPatch? {
        var copy = baseline
        let found = copy.update(state.findChanges)
        return found.failure == nil ? found.patch : nil
    }

    /// Whether to report an action that is lost now: one report a minute, because a client can repeat what led to it.
    func reportsLoss(at moment: Int) -> Bool {
        if let lastReportedLoss, moment - lastReportedLoss < 60_000 { return false }
        lastReportedLoss = moment
        return true
    }

    func recordCommit(_ record: CommitRecord) {
        if !hasOpenTransaction { commits.removeAll(keepingCapacity: true) }
        hasOpenTransaction = true
        commits.append(record)
    }

    /// Ends the dispatch in progress.
    ///
    /// - Parameters:
    ///   - revision: of the store now.
    ///   - nextDeadline: when the next timer is due.
    /// - Returns: nil if there is nothing to persist.
    func takeTransaction(at revision: Int, nextDeadline: Int?) -> CommitTransaction? {
        defer { size.endDispatch(hasCommitted: hasOpenTransaction) }
        guard hasOpenTransaction || idempotencyRecord != nil else { return nil }
        let commits = hasOpenTransaction ? commits : []
        defer { (hasOpenTransaction, idempotencyRecord) = (false, nil) }
        return CommitTransaction(
            baseRevision: revision - commits.count, commits: commits, idempotencyRecord: idempotencyRecord,
            nextDeadline: nextDeadline)
    }
}
