import JSON
import Locks
import StoreHosting
import Stores
import Testing

@Suite("The tag of an action")
struct CommitTagTests {
    private struct Count: StoreValue {
        var count = 0
        var echoes = 0
    }

    private final class Tag: Sendable {}

    private final class Watcher: CommitWatcher {
        let seen = Locked<[(revision: Int, tag: ObjectIdentifier?)]>([])

        func committed(_ state: borrowing StateView) {
            let commit = (state.revision, state.tag.map { ObjectIdentifier($0) })
            seen.withLock { $0.append(commit) }
        }
    }

    private func kind(isAsynchronous: Bool) -> StoreKind {
        StoreDefinition("counter", "A count.", Count(), isAsynchronous: isAsynchronous) {
            Member("count", \.count)
            Member("echoes", \.echoes)
            Action("increment", "Adds one.") { state in state.count += 1 }
            Action("fail", "Is rejected.", rules: .reject("no") { $0.count >= 0 }) { $0.echoes += 1 }
        }.kind
    }

    private static let increment: JSONValue = ["type": "counter/increment"]

    private func dispatch(_ body: JSONValue, to store: HostedStore, _ tag: Tag?) async -> DispatchResult {
        var options = DispatchOptions(selection: nil)
        options.tag = tag
        return await Promise<DispatchResult>.value { [options] done in store.dispatch(body, options) { done($0) } }
    }

    @Test("is in the view of its commit, and in no other", arguments: [false, true])
    func views(isAsynchronous: Bool) async {
        let store = kind(isAsynchronous: isAsynchronous).makeStore()
        let watcher = Watcher()
        store.attach(watcher)
        let (one, other, refused) = (Tag(), Tag(), Tag())
        _ = await dispatch(Self.increment, to: store, one)
        _ = await dispatch(Self.increment, to: store, nil)
        _ = await dispatch([Self.increment, Self.increment], to: store, other)
        // Nothing of an action that is not committed stays behind.
        _ = await dispatch(["type": "counter/fail"], to: store, refused)
        _ = await dispatch(["type": "counter/unknown"], to: store, refused)
        _ = await dispatch([Self.increment, ["type": "counter/fail"]], to: store, refused)
        _ = await dispatch(Self.increment, to: store, nil)
        let seen = watcher.seen.withLock(\.self)
        #expect(seen.map(\.revision) == [1, 2, 4, 5])
        #expect(seen.map(\.tag) == [ObjectIdentifier(one), nil, ObjectIdentifier(other), nil])
        withExtendedLifetime((one, other)) {}
        store.inspect { #expect($0.tag == nil) }
    }
}
