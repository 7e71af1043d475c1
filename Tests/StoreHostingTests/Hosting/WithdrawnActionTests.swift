import JSON
import Locks
import StoreHosting
import Stores
import Testing

@Suite("An action whose sender may send it no more")
struct WithdrawnActionTests {
    private struct Count: StoreValue {
        var count = 0
    }

    private static let kind = StoreDefinition("counter", "A count.", Count()) {
        Member("count", \.count)
        Action("increment", "Adds one.") { state in state.count += 1 }
    }.kind

    private static let action: JSONValue = ["type": "counter/increment"]

    @Test("is not reduced, alone, in a batch and in a dry run", arguments: [0, 1, 2])
    func withdrawn(form: Int) async {
        let store = Self.kind.makeStore()
        let isWithdrawn = Locked(false)
        for withdrawn in [false, true] {
            isWithdrawn.withLock { $0 = withdrawn }
            var options = DispatchOptions(selection: nil, isDryRun: form == 2)
            options.isWithdrawn = { isWithdrawn.withLock(\.self) }
            let result = await Promise<DispatchResult>.value { done in
                store.dispatch(form == 1 ? [Self.action, Self.action] : Self.action, options) { done($0) }
            }
            if withdrawn {
                guard case .ended = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
            } else {
                #expect(result.isCommitted)
            }
        }
        #expect(store.revision == [1, 2, 0][form])
    }

    @Test("is asked for inside the store, behind the expected revision")
    func order() async {
        let store = Self.kind.makeStore()
        let count = Locked(0)
        var options = DispatchOptions(expectedRevisions: [7], selection: nil)
        options.isWithdrawn = {
            count.withLock { $0 += 1 }
            return true
        }
        let result = await Promise<DispatchResult>.value { [options] done in
            store.dispatch(Self.action, options) { done($0) }
        }
        guard case .revisionMismatch = result.outcome else { return #expect(Bool(false), "\(result.outcome)") }
        #expect(count.withLock(\.self) == 0)
    }
}
