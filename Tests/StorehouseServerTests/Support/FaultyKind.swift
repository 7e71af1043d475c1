import JSON
import StoreHosting
import Stores

/// A kind whose program is at fault: an action that breaks an invariant, and one that sets itself off for ever.
enum FaultyAction: DeclaredAction, Equatable {
    case count, `break`, cascade

    static let catalogue = ActionSchema<FaultyAction>([
        ActionDeclaration("faulty/count", "Counts.", .count),
        ActionDeclaration("faulty/break", "Would break an invariant.", .break),
        ActionDeclaration("faulty/cascade", "Counts, and is dispatched again for each of its commits.", .cascade),
    ])
}

struct FaultyState: HostedState {
    var count = 0

    func encode(into json: inout JSONWriter) {
        json.object { $0.member("count", count) }
    }
}

struct FaultyReducer: Reducer {
    func decide(_ action: FaultyAction, in state: FaultyState) -> Decision {
        action == .break ? .reject(Rejection("count-is-sound", isFault: true)) : .accept
    }

    func reduce(_ state: inout FaultyState, _ action: FaultyAction) { state.count += 1 }
}

extension StoreKind {
    static let faulty = StoreKind.store(
        "faulty", reducer: FaultyReducer(),
        middleware: [MiddlewareFunction { $0.action == .cascade ? .dispatch(.cascade) : .none }])
}
