public import Observation
public import StoreHosting
import Stores

/// A store of a server, as views see it: every action is shown at once, and sent exactly once, also without a network.
///
///     @State private var store = RemoteStore(seats, at: server, session: .mine)
///
///     List(store.guests, id: \.self) { Text($0) }
///     Button("Book") { store.send(book("Ada")) }
///
/// The state is the newest one that the server has sent, with the pending actions replayed on it by the server's own rules. A view that
/// reads a member is drawn again when this member changes, and not for other changes. The store connects when the main actor is free
/// next. It is closed when nobody holds it any more.
@MainActor @dynamicMemberLookup
public final class RemoteStore<State: Sendable>: Observable {
    static var mostRefusals: Int { 20 }

    package let core: ClientCore
    package let model: RemoteModel<State>
    let handles = Handles()
    let broadcast = Broadcast<State>()
    let registrar = ObservationRegistrar()
    let paths = ObservedPaths<State>()
    var followed: [PartialKeyPath<State>: FollowedMember<State>] = [:]
    var replay: Replay<State>
    /// The actions of the entries, by their keys.
    var actions: [Int: [RemoteModel<State>.Action]] = [:]
    var isRead = false
    var shownEntries: [ShownEntry] = []
    var shownRefusals: [ActionRejected] = []
    /// Hears what nothing else tells, such as that the server has lost revisions. Set it in the turn in which the store is made.
    public var onReport: ((RemoteReport) -> Void)?
    /// Hears of each change, after it.
    package var onChange: (() -> Void)?
    /// Hears of entries that are no longer pending.
    package var onLeft: ((LeftEntry) -> Void)?

    package init(
        _ model: RemoteModel<State>, url: String, _ environment: ClientEnvironment, storage: OutboxStorage,
        token: (@Sendable (TokenReason) async throws -> String?)?, select: String? = nil, create: String? = nil,
        unknown: UnknownPolicy = .drop, hearsEffects: Bool = false, user: String? = nil
    ) {
        let options = ClientOptions(
            select: select, create: create, kind: model.kind, unknown: unknown, hearsEffects: hearsEffects, user: user,
            version: model.version)
        self.model = model
        replay = Replay(model.initialState)
        core = ClientCore(environment, SessionAddress(url), options, storage, token: token)
        core.owner = self
        Task { @MainActor [weak self] in self?.core.begin() }
    }

    deinit {
        let (core, handles, broadcast) = (core, handles, broadcast)
        Task { @MainActor in
            core.close()
            handles.close()
            broadcast.finish()
        }
    }

    // ---- What a view sees

    /// The shown state: the confirmed one with the pending actions replayed on it. Whoever reads it follows each change of it.
    public var state: State {
        registrar.access(self, keyPath: paths.state)
        return replay.shown
    }

    /// One member of the shown state. Whoever reads it follows this member.
    public subscript<Value: Equatable>(dynamicMember member: KeyPath<State, Value>) -> Value { self[following: member] }

    /// The key path of this subscript names the member for those who follow it.
    subscript<Value: Equatable>(following member: KeyPath<State, Value>) -> Value {
        if let known = followed[member] {
            known.access(self, registrar)
        } else {
            let new = FollowedMember(member)
            followed[member] = new
            new.access(self, registrar)
        }
        return replay.shown[keyPath: member]
    }

    /// The newest state that the server has sent; the one at revision 0 of the kind before the first.
    public var confirmed: State {
        registrar.access(self, keyPath: paths.confirmed)
        return replay.confirmed
    }

    /// The revision of the confirmed state; -1 before the first one.
    public var revision: Int {
        registrar.access(self, keyPath: paths.confirmed)
        return core.ledger.confirmed.revision
    }

    /// How the store is connected.
    public var connection: RemoteConnection {
        registrar.access(self, keyPath: paths.connection)
        return core.connection
    }

    /// The actions that are not done, in the order of sending.
    public var pending: [PendingAction<State>] {
        registrar.access(self, keyPath: paths.pending)
        return shownEntries.map { shown in
            let known = actions[shown.entry.key] ?? shown.entry.actions.map { .init(json: $0) }
            return PendingAction(shown.entry, known, shown.effect)
        }
    }

    /// The newest refusals of actions, 20 at most, the last one last.
    public var refusals: [ActionRejected] {
        registrar.access(self, keyPath: paths.refusals)
        return shownRefusals
    }

    /// The shown states from now on: the newest one whenever it is asked for, without a backlog. It ends with the store.
    public var states: AsyncStream<State> { broadcast.values(replay.hasState ? replay.shown : nil) }

    // ---- Sending

    /// Shows an action at once, and sends it. It never waits.
    ///
    /// - Returns: a handle to wait for the outcome, which may be dropped.
    @discardableResult
    public func send(_ action: StoreAction<State>) -> SentAction { send(all: [action]) }

    /// Shows actions at once, and sends them. They commit together or not at all.
    ///
    /// - Parameters:
    ///   - actions: up to 100.
    ///   - revision: the ``revision`` at which alone they may commit; nil for any.
    /// - Returns: a handle to wait for the outcome, which may be dropped.
    @discardableResult
    public func send(all actions: [StoreAction<State>], ifRevision revision: Int? = nil) -> SentAction {
        let (actor, now) = (core.guessedActor, core.wallTime)
        let coded = actions.compactMap { model.encode($0, actor, now) }
        guard coded.count == actions.count, !coded.isEmpty else {
            let handle = SentAction()
            handle.fail(ActionRejected(undeclaredAt: core.ledger.confirmed.revision))
            return handle
        }
        return send(coded, ifMatch: revision.map(core.etag)).handle
    }

    /// Waits until nothing is pending, also of what was stored before, or the connection has ended.
    public func flush() async {
        if core.end != nil || core.isLoaded && core.ledger.entries.isEmpty { return }
        try? await handles.waitForIdle().value
    }

    // ---- What an app tells

    /// Uses another token of the user from now on. The stream stays open, and one that was `unauthorized` is tried again.
    public func setToken(_ token: String?) { core.setToken(token) }

    /// Says that there is a network, so that the store connects at once, or none. On Apple systems the store is told by the system.
    public func networkChanged(isOnline: Bool) { core.hear(isOnline ? .online : .offline) }

    /// Ends the connection. Pending actions that are on disk are sent when a store is made again.
    public func close() { core.close() }

    /// Ends the connection, and deletes the outbox and the cache of this user.
    ///
    /// - Throws: an error of the storage.
    public func signOut() async throws { try await core.signOut() }
}

/// An entry that is no longer pending.
package struct LeftEntry: Sendable {
    package let key: Int
    /// That of the server, `unknown`, `ended`, or `lost` if it was not stored.
    package let outcome: String
    /// The one at which it was decided.
    package let revision: Int?
    package let refusal: ActionRejected?
}

// ---- Entries

extension RemoteStore {
    /// The confirmed revision and its history, as `ifMatch` takes them.
    package var etag: String { core.etag(core.ledger.confirmed.revision) }

    /// The history of the confirmed state.
    package var history: String? { core.ledger.confirmed.history }

    /// Whether entries are stored without waiting for anything but the disk.
    package var isLoaded: Bool { core.isLoaded }

    /// Shows and sends an entry.
    package func send(
        _ coded: [RemoteModel<State>.Action], ifMatch: String?
    ) -> (handle: SentAction, key: Int) {
        let handle = SentAction()
        // No key path, because to make one of a generic type takes a microsecond.
        let entry = Entry(
            key: core.makeKey(), actions: coded.map { $0.json }, ifMatch: ifMatch,
            isSecret: coded.contains { $0.isSecret })
        if let reason = core.end {
            handle.fail(ConnectionEnded(reason: reason))
        } else if !core.ledger.hasRoom(for: entry) {
            handle.fail(OutboxFull())
        } else {
            handles[entry.key] = handle
            actions[entry.key] = coded
            core.ledger.add(entry)
            show(added: entry, coded)
            core.appendNew()
        }
        return (handle, entry.key)
    }
}
