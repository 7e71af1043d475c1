import JSON
package import StoreHosting
import Stores

// One store, a count to which an action adds, in three declarations: by hand, as a definition, and with `Codable`.

// MARK: By hand

private struct Tally: HostedState, ObjectState, Restorable {
    var count = 0
    var title = "A tally"

    init() {}

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
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
            "by-hand/add", "Adds to the count.", fields: .integer("step", 1...100), embed: { .add($0) },
            extract: { if case .add(let step) = $0 { step } else { nil } })
    ])
}

private struct TallyReducer: HostedReducer {
    func decide(_ action: TallyAction, in state: Tally) -> Decision { state.count == .max ? .reject("full") : .accept }

    func reduce(_ state: inout Tally, _ action: TallyAction) {
        if case .add(let step) = action { state.count += step }
    }
}

package let byHand = StoreKind.store("by-hand", TallyReducer.self)

// MARK: As a definition

private struct PlainTally {
    var count = 0
    var title = "A tally"
}

private let definition = StoreDefinition("defined", "A tally.", PlainTally()) {
    Member("count", \.count)
    Member("title", \.title)
    Action(
        "add", "Adds to the count.", .integer("step", 1...100),
        rules: .reject("full") { tally, _ in tally.count == .max }
    ) { tally, step in tally.count += step }
}

package let defined = definition.kind

// MARK: With Codable

private struct CodableTally: HostedState, StoreValue {
    var count = 0
    var title = "A tally"
}

private enum CodableAction: DeclaredAction, Codable {
    case add(step: Int)

    static let catalogue = ActionSchema<CodableAction>("codable", examples: [.add(step: 1)])
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

package let codable = StoreKind.store("codable", CodableReducer.self)
