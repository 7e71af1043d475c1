import JSON
import RemoteServices
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

/// A restored store behaves as if the original had never ended.
@Suite struct RestorationTests {
    @Test(
        arguments: ["app", "login", "login-form", "animal", "betting", "planner"],
        [(1, true), (2, false), (3, true)] as [(UInt64, Bool)])
    func continuesAfterARestoration(_ name: String, _ run: (seed: UInt64, seals: Bool)) async throws {
        let answer = RemoteResponse(
            status: run.seed == 3 ? 401 : 200, contentType: "application/json", body: Array(#"{"animal":"Cat"}"#.utf8))
        let client = ScriptedRemoteClient(always: .success(answer))
        let kind = try #require(StoreKind.scripted(client).first { $0.name == name })
        let sealer: (any SecretSealer)? = run.seals ? MirrorSealer() : nil
        let reference = kind.makeStore(sealer: sealer)
        var recorder = ReplayRecorder(kind.initialSnapshot)
        var store = kind.makeStore(sealer: sealer, recorder: recorder)
        var random = RandomActions(seed: run.seed)
        let types = kind.actions.filter { $0.audience == .client }.map(\.type)
        for _ in 1...150 {
            if random.isOnce(in: 12) {
                store.end()
                let (persisted, revision) = (recorder.snapshot, recorder.revision)
                recorder = ReplayRecorder(persisted, at: revision)
                store = try kind.makeStore(
                    sealer: sealer, recorder: recorder, from: persisted, revision: revision)
                #expect(store.json == reference.json)
                #expect(store.revision == reference.revision)
                store.resume()
                await store.runPendingActions()
                #expect(run.seals ? recorder.records.isEmpty : recorder.records.count < 2)
                // Of a password that is gone it is as if an empty one had been entered: let it be so there too.
                for record in recorder.records {
                    #expect(record.origin == .system)
                    let body: JSONValue = ["type": .string(record.type), "payload": ["password": ""]]
                    #expect(await reference.dispatch(body).word == "committed")
                }
            }
            var actions = [random.next(of: types)]
            while random.isOnce(in: 4) { actions.append(random.next(of: types)) }
            let body = actions.count == 1 ? actions[0] : .array(actions)
            let (result, expected) = (await store.dispatch(body), await reference.dispatch(body))
            #expect(result.word == expected.word, "\(body)")
            await result.settled()
            await expected.settled()
            #expect(store.json == reference.json, "\(body)")
        }
        let persisted = store.snapshot()
        #expect(persisted.revision == recorder.revision)
        #expect(persisted.state.privateState == recorder.snapshot.privateState)
        #expect(try JSONValue(parsing: persisted.state.json) == JSONValue(parsing: recorder.snapshot.json))
        for selector in kind.selectors {
            #expect(
                try kind.select(.named(selector.name), of: recorder.snapshot) == store.read(.named(selector.name)).json)
        }
        store.end()
        reference.end()
    }

    /// A fork: another state at revision 0 is shown, patched and tried from as it is.
    @Test func beginsAnewWithAnotherState() async throws {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == "planner" })
        let parent = kind.makeStore()
        for title in ["one", "two"] {
            _ = await parent.dispatch(["type": "tasks/add", "payload": ["title": .string(title)]])
        }
        let (revision, persisted) = parent.snapshot()
        #expect(revision == 2)
        let recorder = ReplayRecorder(persisted)
        let fork = try kind.makeStore(recorder: recorder, from: persisted, revision: 0)
        #expect(fork.revision == 0)
        #expect(fork.json == parent.json)
        #expect(fork.read(.pointer(JSONPointer(tokens: ["tasks", "ids"]))).json == Array("[1,2]".utf8))
        var options = DispatchOptions()
        options.isDryRun = true
        let tried = await fork.dispatch(["type": "tasks/add", "payload": ["title": "three"]], options)
        #expect(tried.patch?.operations.map(\.path) == ["/tasks/entities/3", "/tasks/ids/2", "/trends/added"])
        _ = await fork.dispatch(["type": "tasks/remove", "payload": ["id": 2]])
        _ = await fork.dispatch(["type": "tasks/add", "payload": ["title": "three"]])
        #expect(fork.read(.pointer(JSONPointer(tokens: ["tasks", "ids"]))).json == Array("[1,3]".utf8))
        #expect(try JSONValue(parsing: recorder.snapshot.json) == JSONValue(parsing: fork.json))
        #expect(recorder.records.map { $0.privateState != nil } == [false, true])
    }

    /// A state without private members persists no private state.
    @Test func kindsWithoutPrivateStatePersistNone() async throws {
        let kind = Betting.store.kind
        #expect(kind.initialSnapshot == StateSnapshot(json: kind.initialState))
        let recorder = ReplayRecorder(kind.initialSnapshot)
        let store = kind.makeStore(recorder: recorder)
        _ = await store.dispatch(["type": "counter/increment"])
        #expect(recorder.records.map(\.privateState) == [nil])
        #expect(store.snapshot().state.privateState == nil)
    }

    @Test func everyKindIsRestorable() {
        for kind in StoreKind.scripted(ScriptedRemoteClient()) { #expect(kind.isRestorable, "\(kind.name)") }
    }
}
