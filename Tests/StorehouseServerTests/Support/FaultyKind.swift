import JSON
import Locks
import StoreHosting
import Stores

/// A kind whose program is at fault: an action that breaks an invariant, one that sets itself off for ever, and one that makes its
/// middleware start too many effects.
enum FaultyAction: DeclaredAction, Equatable {
    case count, `break`, cascade, flood, work

    static let catalogue = ActionSchema<FaultyAction>([
        ActionDeclaration("faulty/count", "Counts.", .count),
        ActionDeclaration("faulty/break", "Would break an invariant.", .break),
        ActionDeclaration("faulty/cascade", "Counts, and is dispatched again for each of its commits.", .cascade),
        ActionDeclaration("faulty/flood", "A middleware dispatches more work than a store may have.", .flood),
        ActionDeclaration("faulty/work", "Counts, and starts an effect that does not end.", .work),
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
        middleware: [
            MiddlewareFunction { commit in
                switch commit.action {
                case .cascade: .dispatch(.cascade)
                case .flood:
                    .merge((0..<StoreEnvironment.standard.effectLimit + 3).map { _ in .dispatch(.work) })
                case .work:
                    .run("faulty.work", .parallel) {
                        let end = Promise<Void>()
                        await withTaskCancellationHandler {
                            await end.value()
                        } onCancel: {
                            end.fulfill(())
                        }
                        return nil
                    }
                case .count, .break: .none
                }
            }
        ])
}
