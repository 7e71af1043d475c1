import Locks
public import Observation

/// A store as views see it: a view that reads a member is drawn again when this member changes, and not for other changes.
///
///     @State private var login = ObservedStore(store)
///
///     var body: some View {
///         ProgressView().opacity(login.isLoading ? 1 : 0)
///         Button("Sign In") { login.send(.authenticate) }
///     }
///
/// It follows the `Observation` framework of Swift, which is part of the toolchain on all systems. Changes arrive on the main actor. If
/// commits come faster than the main actor takes them, it sees the newest state. An action that is sent from the main actor to a
/// ``Store`` has changed the members when ``send(_:)`` returns.
@MainActor @dynamicMemberLookup
public final class ObservedStore<State: Sendable, Action: Sendable>: Observable {
    private let store: any StoreProtocol<State, Action>
    private let registrar = ObservationRegistrar()
    private let inbox = Locked(Inbox())
    private var subscription: Subscription?
    private var current: State
    /// The members that were read, each with its comparison and its notifications.
    private var followed: [PartialKeyPath<State>: Member] = [:]

    private struct Member {
        let hasChanged: (_ old: State, _ new: State) -> Bool
        let willChange: (ObservedStore) -> Void
        let didChange: (ObservedStore) -> Void
    }

    /// The newest state that the main actor has not seen.
    private struct Inbox {
        var state: State?
        var isTaskWaiting = false
    }

    /// Observes `store` as long as this object exists.
    public init(_ store: some StoreProtocol<State, Action>) {
        self.store = store
        current = store.state
        subscription = store.observe { [inbox, weak self] state in
            let mustWake = inbox.withLock { inbox in
                inbox.state = state
                defer { inbox.isTaskWaiting = true }
                return !inbox.isTaskWaiting
            }
            if mustWake { Task { @MainActor in self?.takeNewest() } }
        }
        takeNewest()
    }

    /// The whole state. Whoever reads it follows each change of it.
    public var state: State {
        registrar.access(self, keyPath: \.state)
        return current
    }

    /// One member of the state. Whoever reads it follows this member.
    public subscript<Value: Equatable>(dynamicMember member: KeyPath<State, Value>) -> Value { self[following: member] }

    /// The key path of this subscript names the member for those who follow it.
    private subscript<Value: Equatable>(following member: KeyPath<State, Value>) -> Value {
        registrar.access(self, keyPath: \.[following: member])
        if followed[member] == nil { followed[member] = followedMember(member) }
        return current[keyPath: member]
    }

    private func followedMember<Value: Equatable>(_ member: KeyPath<State, Value>) -> Member {
        let path: KeyPath<ObservedStore, Value> = \.[following: member]
        return Member(
            hasChanged: { !ExactComparison.areSame($0[keyPath: member], $1[keyPath: member]) },
            willChange: { $0.registrar.willSet($0, keyPath: path) },
            didChange: { $0.registrar.didSet($0, keyPath: path) })
    }

    /// Sends an action to the store: see ``StoreProtocol/send(_:)``.
    public func send(_ action: Action) {
        store.send(action)
        takeNewest()
    }

    private func takeNewest() {
        let state: State? = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox.state
        }
        guard let state else { return }
        let changed = followed.values.filter { $0.hasChanged(current, state) }
        registrar.willSet(self, keyPath: \.state)
        for member in changed { member.willChange(self) }
        current = state
        for member in changed { member.didChange(self) }
        registrar.didSet(self, keyPath: \.state)
    }
}

extension ObservedStore where State: Equatable, Action == ObservableStore<State>.Method {
    /// One member of an ``ObservableStore``. A new value is a change of the store, which its invariants may refuse.
    ///
    ///     @Bindable var form: ObservedStore<LoginForm, ObservableStore<LoginForm>.Method>
    ///
    ///     TextField("Username", text: $form.username)
    public subscript<Value: Equatable & Sendable>(
        dynamicMember member: any WritableKeyPath<State, Value> & Sendable
    ) -> Value {
        get { self[following: member] }
        set { send { state in state[keyPath: member] = newValue } }
    }
}
