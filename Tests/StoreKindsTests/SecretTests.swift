import JSON
import Locks
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

/// Collects all texts that a store shows: states, selections, records.
private final class Witness: CommitRecorder {
    // Guards the texts; nothing is called while it is held.
    private let texts = Locked<[String]>([])

    func see(_ view: borrowing StateView) {
        let pointers = ["login", "form"].map { Selection.pointer(JSONPointer(tokens: [$0])) }
        for selection in [.root, .named("summary"), .named("favoriteTasks")] + pointers {
            note(String(decoding: view.encoded(selection), as: UTF8.self))
        }
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        for commit in transaction.commits {
            note("\(commit)\(JSONValue.object(commit.payload))")
            note(commit.changes.text)
        }
    }

    func isDurable(through revision: Int) -> Bool { true }

    func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) { waiter.waitEnded(with: nil) }

    func expectNothing(of secret: String) {
        let texts = texts.withLock { $0 }
        #expect(!texts.isEmpty)
        for text in texts { #expect(!text.contains(secret)) }
    }

    private func note(_ text: String) { texts.withLock { $0.append(text) } }
}

@Suite struct SecretTests {
    @Test(arguments: LoginHosting.allCases, LoginStep.allCases)
    func noPasswordLeavesALogin(_ hosting: LoginHosting, _ step: LoginStep) async throws {
        let witness = Witness()
        let session = try #require(LoginSession(hosting, recorder: witness))
        let subscription = session.store.watch { witness.see($0) }
        await session.reach(step)
        _ = await session.enter("password", LoginSession.password)
        session.store.inspect { witness.see($0) }
        session.store.end()
        witness.expectNothing(of: LoginSession.password)
        withExtendedLifetime(subscription) {}
    }

    @Test(arguments: [200, 401, 500])
    func noPasswordLeavesAForm(_ status: Int) async throws {
        let (witness, client) = (Witness(), ScriptedRemoteClient())
        let kind = try #require(StoreKind.scripted(client).first { $0.name == "login-form" })
        let store = kind.makeStore(recorder: witness)
        let subscription = store.watch { witness.see($0) }
        let payload: JSONValue = ["username": "some username", "password": .string(LoginSession.password)]
        _ = await store.dispatch(["type": "form/set", "payload": payload])
        client.reply(status: status, "{}")
        await store.dispatch(["type": "form/authenticate"]).settled()
        #expect(client.requests.count == 1)
        witness.expectNothing(of: LoginSession.password)
        withExtendedLifetime(subscription) {}
    }

    @Test func printingAndReflectingShowNoPassword() {
        var state = Login()
        let entering = Login.enteringCredential(nil, LoginSession.password)
        Login.rules.reducer.reduce(&state, entering)
        var dumped = ""
        dump(state, to: &dumped)
        for text in ["\(state)", String(reflecting: state), "\(entering)", dumped] {
            #expect(!text.contains(LoginSession.password))
        }
    }

    /// A violation names the place, not the value.
    @Test func anErrorDoesNotContainThePassword() async throws {
        let long = LoginSession.password + String(repeating: "x", count: 256)
        let session = try #require(LoginSession(.app))
        let refusal = await session.enter("password", long)
        guard case .refused(.invalidPayload, nil) = refusal.outcome else {
            Issue.record("not refused")
            return
        }
        #expect(!"\(refusal)".contains(LoginSession.password))
    }
}
