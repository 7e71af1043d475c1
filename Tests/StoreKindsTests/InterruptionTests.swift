import JSON
import RemoteServices
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

/// What becomes of calls under which the process ended, and of passwords that were not kept.
@Suite struct InterruptionTests {
    /// Ends a store after these actions, and goes on with another from what was kept.
    private func interrupted(
        _ name: String, _ actions: [JSONValue], seals: Bool
    ) async throws -> (store: HostedStore, keeper: Keeper) {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == name })
        let before = Keeper(kind.initialSnapshot)
        let sealer: (any SecretSealer)? = seals ? MirrorSealer() : nil
        let store = kind.makeStore(sealer: sealer, recorder: before)
        for action in actions {
            let result = await store.dispatch(action)
            #expect(result.word == "committed")
        }
        store.end()
        let keeper = Keeper(before.kept, at: before.revision)
        let next = try kind.makeStore(
            sealer: sealer, recorder: keeper, from: before.kept, revision: before.revision)
        #expect(next.json == store.json)
        next.resume()
        await next.hasGoneOn()
        return (next, keeper)
    }

    @Test(arguments: ["animal", "app"])
    func anInterruptedFetchHasFailed(_ name: String) async throws {
        let (store, keeper) = try await interrupted(name, [["type": "animal/fetchAnimal"]], seals: false)
        #expect(keeper.records.map(\.type) == ["animal/fetchFailed"])
        #expect(keeper.records.map(\.origin) == [.system])
        let state = try JSONValue(parsing: store.read(.pointer(JSONPointer(tokens: ["animal"]))).json)
        #expect(state["isLoading"] == false)
        #expect(state["currentAnimal"] == "")
        #expect(state["error"]?["code"] == "interrupted")
        #expect(try JSONValue(parsing: keeper.kept.json) == JSONValue(parsing: store.json))
    }

    private static let entering: [JSONValue] = [
        ["type": "login/enteringCredential", "payload": ["username": "some username"]],
        ["type": "login/enteringCredential", "payload": ["password": "some password"]],
    ]

    @Test(arguments: LoginHosting.allCases, [true, false])
    func anInterruptedLoginHasFailed(_ hosting: LoginHosting, _ seals: Bool) async throws {
        let (store, keeper) = try await interrupted(
            hosting.rawValue, Self.entering + [["type": "login/authenticate"]], seals: seals)
        #expect(keeper.records.first?.type == "login/failed")
        #expect(keeper.records.count == (seals ? 1 : 2))
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
        let (store, keeper) = try await interrupted(hosting.rawValue, Self.entering, seals: seals)
        #expect(keeper.records.map(\.type) == (seals ? [] : ["login/enteringCredential"]))
        #expect(store.revision == (seals ? 2 : 3))
        let status = try JSONValue(parsing: store.json)["login"]?["status"]
        #expect(status == (seals ? "validCredentials" : "validatingCredentials"))
        #expect(try JSONValue(parsing: keeper.kept.json) == JSONValue(parsing: store.json))
    }

    @Test(arguments: [true, false], [true, false])
    func theFormIsLikeThat(_ isBusy: Bool, _ seals: Bool) async throws {
        let credentials: JSONValue = ["username": "some username", "password": "some password"]
        let actions: [JSONValue] = [["type": "form/set", "payload": credentials]]
        let (store, keeper) = try await interrupted(
            "login-form", actions + (isBusy ? [["type": "form/authenticate"]] : []), seals: seals)
        #expect(keeper.records.map(\.type) == (isBusy ? ["form/failed"] : []) + (seals ? [] : ["form/set"]))
        var state = try JSONValue(parsing: store.json)["form"]
        #expect(state?["isBusy"] == false)
        #expect(state?["username"] == "some username")
        #expect((state?["error"]?.isNull == false) == isBusy)
        _ = await store.dispatch(["type": "form/ackError"])
        state = try JSONValue(parsing: store.json)["form"]
        #expect(state?["hasValidCredentials"] == .bool(seals))
    }

    /// Who is signed in needs no password any more.
    @Test(arguments: [true, false])
    func noLoginIsLost(_ seals: Bool) async throws {
        let answer = RemoteResponse(status: 200, contentType: "application/json", body: Array("{}".utf8))
        let client = ScriptedRemoteClient(always: .success(answer))
        let kind = try #require(StoreKind.scripted(client).first { $0.name == "app" })
        let keeper = Keeper(kind.initialSnapshot)
        let sealer: (any SecretSealer)? = seals ? MirrorSealer() : nil
        let store = kind.makeStore(sealer: sealer, recorder: keeper)
        for action in Self.entering + [["type": "login/authenticate"]] { await store.dispatch(action).settled() }
        let next = try kind.makeStore(sealer: sealer, from: keeper.kept, revision: keeper.revision)
        next.resume()
        #expect(next.revision == store.revision)
        #expect(try JSONValue(parsing: next.json)["login"]?["isAuthenticated"] == true)
    }

    /// What is kept has no password in it, not even as it was before it was sealed or forgotten.
    @Test(arguments: [true, false])
    func noPasswordIsPersistedInClear(_ seals: Bool) async throws {
        let (store, keeper) = try await interrupted(
            "app", Self.entering + [["type": "login/authenticate"]], seals: seals)
        let kept =
            keeper.records.compactMap(\.hidden)
            + [keeper.kept.hidden, store.snapshot().state.hidden].compactMap(\.self)
        #expect(kept.count >= 2)
        for hidden in kept {
            let text = String(decoding: hidden, as: UTF8.self)
            #expect(!text.contains("some password"))
            #expect(text.contains("some username"))
        }
    }
}
