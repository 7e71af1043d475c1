import JSON
import Journal
import StoreHosting
import Stores

/// The state of two releases of a program: the second one renames a member.
enum Parcel {
    struct First: HostedState, ObjectState, Restorable {
        var weight = 0

        init() {}
        init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
            weight = try persisted.member("weight")
        }
        func visitMembers(_ members: inout some MemberVisitor & ~Copyable) { members.member("weight", weight) }
    }

    struct Second: HostedState, ObjectState, Restorable {
        var grams = 0

        init() {}
        init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
            grams = try persisted.member("grams")
        }
        func visitMembers(_ members: inout some MemberVisitor & ~Copyable) { members.member("grams", grams) }
    }

    struct Action: DeclaredAction, Equatable {
        static let catalogue = ActionSchema([ActionDeclaration("weigh", "Is a gram more.", Action())])
    }

    struct FirstReducer: HostedReducer {
        func decide(_ action: Action, in state: First) -> Decision { .accept }

        func reduce(_ state: inout First, _ action: Action) { state.weight += 1 }
    }

    struct SecondReducer: HostedReducer {
        func decide(_ action: Action, in state: Second) -> Decision { .accept }

        func reduce(_ state: inout Second, _ action: Action) { state.grams += 1 }
    }

    static let first = StoreKind.store("parcel", FirstReducer.self)
    static let second = StoreKind.store(
        "parcel", SecondReducer.self, migrations: [{ state, _ in state = ["grams": state["weight"] ?? 0] }])

    static func session(
        _ id: String = "parcel", _ owner: String? = nil, kind: String = "parcels", isPersonal: Bool = false
    ) -> SessionHeader {
        SessionHeader(
            id: id, kind: kind, schema: 1, createdAt: Step.moment, forkedFrom: nil, historyID: "h",
            initial: first.initialSnapshot, owner: owner.map { Subject($0) }, isPersonal: isPersonal)
    }

    /// A store of a new session.
    static func store(_ journal: any CommitRecorder) -> HostedStore {
        first.makeStore(environment: StoreEnvironment(clock: Step.Clock()), recorder: journal)
    }

    /// A store that is restored by one release or the other.
    static func store(_ kind: StoreKind, _ found: Found) throws -> HostedStore {
        let initial = found.summary.header.initial
        guard let state = found.replayable.state(initial: initial.json) else { throw Missing(id: "state") }
        let persisted = StateSnapshot(
            json: state.encoded(), privateState: found.replayable.privateState ?? initial.privateState)
        let store = try kind.makeStore(
            environment: StoreEnvironment(clock: Step.Clock()), recorder: found.journal, from: persisted,
            revision: found.summary.revision)
        store.resume()
        return store
    }
}

extension HostedStore {
    /// Makes a parcel heavier, one action after the other.
    func weigh(_ count: Int = 1) {
        for _ in 0..<count { dispatch(["type": "weigh"], DispatchOptions()) { _ in } }
    }
}
