import JSON
public import Locks
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
    private let faultLabel: FaultLabel
    /// Nil before the first commit of a store that began with the kind's own initial state.
    private var bookkeeping: HostBookkeeping?
    @usableFromInline var identity: String?
    /// Nil before one is attached, and after the store has ended.
    var watcher: (any CommitWatcher)?
    private var openTag: (any AnyObject & Sendable)?
    /// That of the commit in progress.
    @usableFromInline var tag: (any AnyObject & Sendable)? { openTag }

    @usableFromInline
    init(
        _ coding: KindCoding<State, Action>, _ recorder: (any CommitRecorder)?, _ sealer: (any SecretSealer)?,
        maxStateBytes: Int, label: String
    ) {
        self.coding = coding
        faultLabel = FaultLabel(label)
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
        if let members = members(of: contents.pointee.state) { bookkeeping.members = members }
        self.bookkeeping = bookkeeping
        contents.pointee.asksBeforeCommit = bookkeeping.size.isNear(maxStateBytes)
    }

    /// Sets the record that is persisted with the commits of the dispatch in progress.
    @usableFromInline
    func set(_ record: DispatchRecord) { madeBookkeeping().record = record }

    // MARK: CommitObserver

    @usableFromInline var label: String { faultLabel.description }

    @usableFromInline
    func committed(_ commit: borrowing Commit<State, Action>, at moment: Int) {
        let bookkeeping = madeBookkeeping()
        let reach = coding.reach(commit.actionPlace)
        let (changes, privateState) = changes(in: commit.statePlace, since: bookkeeping, commit.revision, reach)
        let (type, payload) = coding.describe(commit.actionPlace) ?? ("undeclared", [:])
        bookkeeping.recordCommit(
            CommitRecord(
                revision: commit.revision, type: type, payload: payload, origin: commit.origin,
                actor: commit.namedActor, cause: commit.cause, committedAt: moment, changes: changes,
                privateState: privateState))
        if commit.endsBatch, let watcher {
            // The state has the address of the contents.
            watcher.committed(StateView(revision: commit.revision, self, commit.statePlace))
        }
        if openTag != nil { openTag = nil }
    }

    @usableFromInline
    func willCommit(for tag: any AnyObject & Sendable) { openTag = tag }

    @usableFromInline
    func willReduce(_ action: Action, isNamed: Bool) {
        if isNamed { return FaultNote.set(coding.names, faultLabel) }
        let type = withUnsafePointer(to: action, coding.describe)?.type
        FaultNote.set(coding.names, faultLabel, type: type.flatMap(coding.index).flatMap(coding.names.type))
    }

    @usableFromInline var judgesStates: Bool { encoder.memberIDs != nil }

    @usableFromInline
    func objection(to state: State) -> Rejection? {
        guard judgesStates else { return nil }
        let bookkeeping = madeBookkeeping()
        // A state that has too many already, because the kind has changed, may lose some.
        let limit = max(MemberCount.limit, bookkeeping.members.count)
        let found = members(of: state, limit: limit) ?? []
        if found.count > limit { return .tooManyMembers }
        bookkeeping.proposedMembers = found
        return nil
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
    func faultOfLosing(_ action: Action, from origin: Origin, at bound: ActionLoss, at moment: Int) -> StoreFault? {
        guard madeBookkeeping().reportsLoss(at: bound, at: moment) else { return nil }
        return .losing(
            withUnsafePointer(to: action, coding.describe)?.type ?? "", from: origin, at: bound, label: label)
    }

    @usableFromInline
    func dispatchEnded(
        in state: UnsafePointer<State>, at revision: Int, nextDeadline: Int?, asksBeforeCommit: inout Bool
    ) {
        defer { FaultNote.clear() }
        guard let bookkeeping,
            let transaction = bookkeeping.takeTransaction(
                // Passing on a state would copy it, so no kind without members does.
                at: revision, nextDeadline: nextDeadline, orMembers: judgesStates ? members(of: state.pointee) : nil)
        else { return }
        if bookkeeping.size.isNear(maxStateBytes) || asksBeforeCommit {
            asksBeforeCommit = bookkeeping.size.update(limit: maxStateBytes) {
                root(state.pointee, at: revision).count
            }
        }
        // The state has the address of the contents.
        recorder?.append(transaction, StateView(revision: revision, self, state))
    }

    @usableFromInline
    func isDurable(through revision: Int) -> Bool { recorder?.isDurable(through: revision) ?? true }

    @usableFromInline
    func whenDurable(through revision: Int, fulfill isDurable: Promise<Bool>) {
        guard let recorder else { return isDurable.fulfill(true) }
        recorder.whenDurable(through: revision, notify: EffectWait(isDurable))
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
            case .named, .personal: break
            }
        }
        // The state has the address of the contents.
        let state = contents.assumingMemoryBound(to: State.self)
        return encoder.encode(selection, of: state, in: coding.names, faultLabel) { root(state.pointee, at: revision) }
    }

    /// The selected value of a state that is not committed.
    func encoded(_ selection: Selection, of state: State) -> [UInt8] {
        encoder.encode(selection, of: state, in: coding.names, faultLabel) { encoder.json(of: state) }
    }

    @usableFromInline
    func rights(of actor: Actor, _ contents: UnsafeRawPointer) -> AccessRights {
        guard let findRights = encoder.findRights else { return [] }
        // The state has the address of the contents.
        let state = contents.assumingMemoryBound(to: State.self)
        return FaultNote.naming(nil) {
            FaultNote.set(coding.names, faultLabel)
            return findRights(actor, state)
        }
    }

    @usableFromInline
    func members(in contents: UnsafeRawPointer) -> [ActorID]? {
        guard let bookkeeping else { return coding.initialMembers }
        guard bookkeeping.hasOpenTransaction else { return judgesStates ? bookkeeping.members : nil }
        // The state has the address of the contents.
        return members(of: contents.assumingMemoryBound(to: State.self).pointee)
    }

    /// The state as it is persisted.
    @usableFromInline
    func snapshot(of state: State, at revision: Int) -> StateSnapshot {
        let privateState = withUnsafePointer(to: state) { encoder.privateState(of: $0, persistedSecrets) }
        return StateSnapshot(json: root(state, at: revision), privateState: privateState)
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
    ///
    /// - Parameter reach: the members that can have changed.
    private func changes(
        in state: UnsafePointer<State>, since bookkeeping: HostBookkeeping, _ revision: Int, _ reach: MemberSet
    ) -> (changes: EncodedPatch, privateState: [UInt8]?) {
        let found = bookkeeping.findChanges(at: revision) { coding.findChanges(state, reach, &$0) }
        let patch = found.patch
        guard encoder.hasPrivateState, reach.intersects(encoder.privateMembers) else { return (patch, nil) }
        // Compared in clear even if it will be sealed: sealing the same secret twice gives different bytes.
        var members = JSONValue.PrivateEncoder(found.takeWriter(), clearSecrets)
        coding.encodePrivate(state, encoder, &members)
        if let failure = members.failure { fatalError(failure) }
        guard bookkeeping.updatePrivateBaseline(members) else { return (patch, nil) }
        return (patch, encoder.privateState(of: state, persistedSecrets))
    }

    private var clearSecrets: JSONValue.PrivateEncoder.Secrets { .inMemory(sealer) }

    private var persistedSecrets: JSONValue.PrivateEncoder.Secrets { sealer.map { .sealed($0) } ?? .leftOut }

    private func madeBookkeeping() -> HostBookkeeping {
        if let bookkeeping { return bookkeeping }
        let bookkeeping = newBookkeeping()
        self.bookkeeping = bookkeeping
        return bookkeeping
    }

    private func newBookkeeping() -> HostBookkeeping {
        let bookkeeping = HostBookkeeping(
            encoder.initialBaseline, at: 0, byteCount: encoder.initial.json.count,
            privateBaseline: encoder.initial.privateState ?? [])
        if let members = coding.initialMembers { bookkeeping.members = members }
        return bookkeeping
    }

    /// The members of a state; nil if the kind names none.
    private func members(of state: State, limit: Int = .max) -> [ActorID]? {
        encoder.memberIDs?.members(of: state, limit: limit, in: coding.names, faultLabel)
    }
}

/// The wait of effects for their commit.
private final class EffectWait: DurabilityWaiter {
    private let isDurable: Promise<Bool>

    init(_ isDurable: Promise<Bool>) { self.isDurable = isDurable }

    func waitEnded(with failure: JournalError?) { isDurable.fulfill(failure == nil) }
}
