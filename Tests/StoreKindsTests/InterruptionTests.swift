import JSON
import RemoteServices
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

/// Restored stores whose remote calls were interrupted, or whose passwords were not persisted.
@Suite struct InterruptionTests {
    /// Runs these actions, ends the store, and restores another from the persisted state.
    private func interrupted(
        _ name: String, _ actions: [JSONValue], seals: Bool
    ) async throws -> (store: HostedStore, recorder: ReplayRecorder) {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == name })
        let before = ReplayRecorder(kind.initialSnapshot)
        let sealer: (any SecretSealer)? = seals ? MirrorSealer() : nil
        let store = kind.makeStore(sealer: sealer, recorder: before)
        for action in actions {
            let result = await store.dispatch(action)
            #expect(result.word == "committed")
        }
        store.end()
        let recorder = ReplayRecorder(before.snapshot, at: before.revision)
        let next = try kind.makeStore(
            sealer: sealer, recorder: recorder, from: before.snapshot, revision: before.revision)
        #expect(next.json == store.json)
        next.resume()
        await next.runPendingActions()
        return (next, recorder)
    }

    @Test(arguments: ["animal", "app"])
    func anInterruptedFetchHasFailed(_ name: String) async throws {
        let (store, recorder) = try await interrupted(name, [["type": "animal/fetchAnimal"]], seals: false)
        #expect(recorder.records.map(\.type) == ["animal/fetchFailed"])
        #expect(recorder.records.map(\.origin) == [.system])
        let state = try JSONValue(parsing: store.read(.pointer(JSONPointer(tokens: ["animal"]))).json)
        #expect(state["isLoading"] == false)
        #expect(state["currentAnimal"] == "")
        #expect(state["error"]?["code"] == "interrupted")
        #expect(try JSONValue(parsing: recorder.snapshot.json) == JSONValue(parsing: store.json))
    }

    private static let entering: [JSONValue] = [
        ["type": "login/enteringCredential", "payload": ["username": "some username"]],
        ["type": "login/enteringCredential", "payload": ["password": "some password"]],
    ]

    @Test(arguments: LoginHosting.allCases, [true, false])
    func anInterruptedLoginHasFailed(_ hosting: LoginHosting, _ seals: Bool) async throws {
        let (store, recorder) = try await interrupted(
            hosting.rawValue, Self.entering + [["type": "login/authenticate"]], seals: seals)
        #expect(recorder.records.first?.type == "login/failed")
        #expect(recorder.records.count == (seals ? 1 : 2))
        let state = try JSONValue(parsing: store.json)["login"]
        #expect(state?["status"] == "failure")
        #expect(state?["error"]?["code"] == "networkError")
        #expect(state?["error"]?["message"]?.asString?.hasPrefix("interrupted: ") == true)
        _ = await store.dispatch(["type": "login/ackError"])
        let status = try JSONValue(parsing: store.json)["login"]?["status"]
        #expect(status == (seals ? "validCredentials" : "validatingCredentials"))
    }

    /// Without its password, a state that needs it says so, by a commit.
    @Test(arguments: LoginHosting.allCases, [true, false])
    func credentialsAreValidOnlyWithTheirPassword(_ hosting: LoginHosting, _ seals: Bool) async throws {
        let (store, recorder) = try await interrupted(hosting.rawValue, Self.entering, seals: seals)
        #expect(recorder.records.map(\.type) == (seals ? [] : ["login/enteringCredential"]))
        #expect(store.revision == (seals ? 2 : 3))
        let status = try JSONValue(parsing: store.json)["login"]?["status"]
        #expect(status == (seals ? "validCredentials" : "validatingCredentials"))
        #expect(try JSONValue(parsing: recorder.snapshot.json) == JSONValue(parsing: store.json))
    }

    @Test(arguments: [true, false], [true, false])
    func theFormIsLikeThat(_ isBusy: Bool, _ seals: Bool) async throws {
        let credentials: JSONValue = ["username": "some username", "password": "some password"]
        let actions: [JSONValue] = [["type": "form/set", "payload": credentials]]
        let (store, recorder) = try await interrupted(
            "login-form", actions + (isBusy ? [["type": "form/authenticate"]] : []), seals: seals)
        #expect(recorder.records.map(\.type) == (isBusy ? ["form/failed"] : []) + (seals ? [] : ["form/set"]))
        var state = try JSONValue(parsing: store.json)["form"]
        #expect(state?["isBusy"] == false)
        #expect(state?["username"] == "some username")
        #expect((state?["error"]?.isNull == false) == isBusy)
        _ = await store.dispatch(["type": "form/ackError"])
        state = try JSONValue(parsing: store.json)["form"]
        #expect(state?["hasValidCredentials"] == .bool(seals))
    }

    /// A user who is logged in needs no password any more.
    @Test(arguments: [true, false])
    func noLoginIsLost(_ seals: Bool) async throws {
        let answer = RemoteResponse(status: 200, contentType: "application/json", body: Array("{}".utf8))
        let client = ScriptedRemoteClient(always: .success(answer))
        let kind = try #require(StoreKind.scripted(client).first { $0.name == "app" })
        let recorder = ReplayRecorder(kind.initialSnapshot)
        let sealer: (any SecretSealer)? = seals ? MirrorSealer() : nil
        let store = kind.makeStore(sealer: sealer, recorder: recorder)
        for action in Self.entering + [["type": "login/authenticate"]] { await store.dispatch(action).settled() }
        let next = try kind.makeStore(sealer: sealer, from: recorder.snapshot, revision: recorder.revision)
        next.resume()
        #expect(next.revision == store.revision)
        #expect(try JSONValue(parsing: next.json)["login"]?["isAuthenticated"] == true)
    }

    /// The persisted states contain no password, neither in clear nor from before it was sealed or deleted.
    @Test(arguments: [true, false])
    func noPasswordIsPersistedInClear(_ seals: Bool) async throws {
        let (store, recorder) = try await interrupted(
            "app", Self.entering + [["type": "login/authenticate"]], seals: seals)
        let persisted =
            recorder.records.compactMap(\.privateState)
            + [recorder.snapshot.privateState, store.snapshot().state.privateState].compactMap(\.self)
        #expect(persisted.count >= 2)
        for privateState in persisted {
            let text = String(decoding: privateState, as: UTF8.self)
            #expect(!text.contains("some password"))
            #expect(text.contains("some username"))
        }
    }
}
