import JSON
import StoreHosting
import Stores

/// A store that counts, and keeps a list of some size that never changes.
struct Step: HostedReducer {
    struct State: HostedState {
        var count = 0

        func encode(into json: inout JSONWriter) { json.value(Step.json(count)) }
    }

    struct Action: DeclaredAction, Equatable {
        static let catalogue = ActionSchema([ActionDeclaration("step", "Counts one more.", Action())])
    }

    /// It stands still.
    struct Clock: StoreClock {
        func now() -> Int { Step.moment }
        func sleep(until moment: Int) async throws(CancellationError) {}
    }

    static let moment = 1_700_000_000_000

    static let kind = StoreKind.store("step", Step.self)

    static func json(_ count: Int) -> JSONValue {
        ["count": .integer(count), "list": .array(Array(repeating: .integer(1), count: 100))]
    }

    func decide(_ action: Action, in state: State) -> Decision { .accept }

    func reduce(_ state: inout State, _ action: Action) { state.count += 1 }

    /// A session of this kind.
    static func session(
        _ id: String = "session", createdAt: Int = moment, owner: String? = nil, isPersonal: Bool = false
    ) -> SessionHeader {
        SessionHeader(
            id: id, kind: "steps", schema: 1, createdAt: createdAt, forkedFrom: nil, historyID: "h",
            initial: StateSnapshot(json: kind.initialState), owner: owner.map { Subject($0) }, isPersonal: isPersonal)
    }

    /// A store that is recorded by `journal` from a revision on, at which it stands.
    static func store(_ journal: any SessionJournal, from revision: Int = 0) -> HostedStore {
        let store = kind.makeStore(
            environment: StoreEnvironment(clock: Clock()), recorder: Resumed(journal, from: revision))
        store.step(revision)
        return store
    }
}

/// Passes on only transactions that end after `revision`: the journal has the earlier ones.
private final class Resumed: CommitRecorder {
    private let journal: any SessionJournal
    private let revision: Int

    init(_ journal: any SessionJournal, from revision: Int) {
        self.journal = journal
        self.revision = revision
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        if transaction.lastRevision > revision { journal.append(transaction, state) }
    }

    func isDurable(through revision: Int) -> Bool { journal.isDurable(through: revision) }

    func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) {
        journal.whenDurable(through: revision, notify: waiter)
    }
}

extension HostedStore {
    /// Commits `count` actions, one by one.
    func step(_ count: Int = 1) {
        for _ in 0..<count { dispatch(["type": "step"], DispatchOptions()) { _ in } }
    }

    /// Appends a transaction without commits.
    func append(_ record: IdempotencyRecord, to journal: any SessionJournal) {
        inspect { state in
            journal.append(CommitTransaction(baseRevision: state.revision, record: .answer(record)), state)
        }
    }
}

extension SessionJournal {
    /// Appends a commit that a store with timers or members could have made.
    func appendCommit(_ revision: Int, nextDeadline: Int? = nil, members: MemberChange? = nil) {
        let store = Step.kind.makeStore()
        store.step(revision)
        store.inspect { state in
            append(
                CommitTransaction(
                    baseRevision: revision - 1, commits: state.commits, nextDeadline: nextDeadline, members: members),
                state)
        }
    }
}

extension ReplayableState {
    /// The count of a store of steps, or the weight of a parcel.
    var count: Int? {
        if let count = state(initial: Step.kind.initialState)?["count"] { return count.asInteger }
        return state(initial: Parcel.first.initialState)?["weight"]?.asInteger
    }
}
