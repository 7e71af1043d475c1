import JSON
import StoreHosting
import Stores

/// Measures the same hosted store, a count to which an action adds, declared in three ways: by hand, as a definition, and with
/// `Codable`. A dispatch begins with the parsed JSON of the action, and ends with the commit, its patch and the whole state as JSON.
func measureDeclarations(_ stopwatch: Stopwatch) -> Numbers {
    var numbers: Numbers = [:]
    for (name, kind) in [("byHand", byHand), ("defined", defined.kind), ("codable", codable)] {
        let store = kind.makeStore()
        let action: JSONValue = ["type": "tally/add", "payload": ["step": 1]]
        let dispatch: (Int) -> Void = { times in
            for _ in 0..<times { store.dispatch(action, DispatchOptions()) { _ in } }
        }
        numbers[name] = stopwatch.nanoseconds(dispatch)
        numbers[name + "Allocations"] = Stopwatch.allocations(dispatch)
        precondition(
            store.read(.pointer(JSONPointer(tokens: ["count"]))).json == Array(String(store.revision).utf8),
            "a dispatch was lost")
    }
    return numbers
}

// MARK: By hand

private struct Tally: HostedState, ObjectState, Restorable {
    var count = 0
    var title = "A tally"

    init() {}

    init(restoring persisted: PersistedValue) throws(RestorationError) {
        count = try persisted.member("count")
        title = try persisted.member("title")
    }

    func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("count", count)
        members.member("title", title)
    }
}

private enum TallyAction: DeclaredAction, Equatable {
    case add(Int)

    static let catalogue = ActionSchema<TallyAction>([
        ActionDeclaration(
            "tally/add", "Adds to the count.", fields: .integer("step", 1...100), embed: { .add($0) },
            extract: { if case .add(let step) = $0 { step } else { nil } })
    ])
}

private struct TallyReducer: HostedReducer {
    func decide(_ action: TallyAction, in state: Tally) -> Decision { state.count == .max ? .reject("full") : .accept }

    func reduce(_ state: inout Tally, _ action: TallyAction) {
        if case .add(let step) = action { state.count += step }
    }
}

private let byHand = StoreKind.store("tally", TallyReducer.self)

// MARK: As a definition

private struct PlainTally {
    var count = 0
    var title = "A tally"
}

private let defined = StoreDefinition("tally", "A tally.", PlainTally()) {
    Member("count", \.count)
    Member("title", \.title)
    Action(
        "add", "Adds to the count.", .integer("step", 1...100),
        rules: .reject("full") { tally, _ in tally.count == .max }
    ) { tally, step in tally.count += step }
}

// MARK: With Codable

private struct CodableTally: HostedState, StoreValue {
    var count = 0
    var title = "A tally"
}

private enum CodableAction: DeclaredAction, Codable {
    case add(step: Int)

    static let catalogue = ActionSchema<CodableAction>("tally", examples: [.add(step: 1)])
}

private struct CodableReducer: HostedReducer {
    func decide(_ action: CodableAction, in state: CodableTally) -> Decision {
        state.count == .max ? .reject("full") : .accept
    }

    func reduce(_ state: inout CodableTally, _ action: CodableAction) {
        switch action {
        case .add(let step): state.count += step
        }
    }
}

private let codable = StoreKind.store("tally", CodableReducer.self)
