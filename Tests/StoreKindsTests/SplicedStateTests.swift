import JSON
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

/// The JSON of a state is made of what was written for earlier revisions. It must be what a fresh encoding writes.
@Suite struct SplicedStateTests {
    @Test(
        arguments: [("app", 0), ("app", 9), ("app", 300), ("planner", 300), ("betting", 0), ("login", 0)],
        1...3 as ClosedRange<UInt64>)
    func aStateHasTheBytesOfAFreshEncoding(_ sample: (name: String, tasks: Int), _ seed: UInt64) async throws {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == sample.name })
        let store = kind.makeStore()
        for start in stride(from: 1, through: sample.tasks, by: 50) {
            let ids = start...min(start + 49, sample.tasks)
            _ = await store.dispatch(
                .array(ids.map { _ in ["type": "tasks/add", "payload": ["title": "task"]] }))
            // Together they are longer than what is copied with each commit.
            _ = await store.dispatch(
                .array(ids.map { ["type": "tasks/favorite", "payload": ["id": .integer($0)]] }))
        }
        var random = RandomActions(seed: seed)
        let types = kind.actions.filter { $0.audience == .client }.map(\.type)
        for _ in 1...150 {
            var options = DispatchOptions()
            options.isDryRun = random.isOnce(in: 8)
            // Most revisions are never encoded as a whole.
            options.selection = random.isOnce(in: 4) ? .root : nil
            _ = await store.dispatch(random.next(of: types), options)
            guard random.isOnce(in: 3) else { continue }
            let (revision, snapshot) = store.snapshot()
            let fresh = try kind.makeStore(from: snapshot, revision: revision)
            #expect(fresh.json == String(decoding: snapshot.json, as: UTF8.self))
            #expect(fresh.json == store.json)
            for pointer in ["/tasks/entities/7", "/tasks/favorited", "/counter", "/settings/theme", "/login/status"] {
                let selection = Selection.pointer(try JSONPointer(pointer))
                #expect(store.read(selection).json == fresh.read(selection).json, "\(pointer)")
            }
        }
        store.end()
    }
}
