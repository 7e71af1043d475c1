import JSON
import StoreHosting
import StoreKinds
import Stores
import StoresTesting

/// The two kinds of store that have the rules of the login.
enum LoginHosting: String, CaseIterable, Sendable {
    /// An ordinary reducer in a synchronous store.
    case app
    /// An asynchronous reducer.
    case login
}

/// A status, and the way to it.
enum LoginStep: String, CaseIterable, Sendable {
    case idle, validatingCredentials, validCredentials, authenticating, authenticated, failure
}

/// A session's store at a certain status, its auth API played by a script.
struct LoginSession: Sendable {
    static let username = "some username"
    static let password = "correct horse battery staple"

    let client = ScriptedRemoteClient()
    let store: HostedStore

    init?(_ hosting: LoginHosting, recorder: (any CommitRecorder)? = nil) {
        guard let kind = StoreKind.scripted(client).first(where: { $0.name == hosting.rawValue }) else { return nil }
        store = kind.makeStore(recorder: recorder)
    }

    var json: String {
        String(decoding: store.read(.pointer(JSONPointer(tokens: ["login"]))).json, as: UTF8.self)
    }

    func enter(_ name: String, _ text: String) async -> DispatchResult {
        await store.dispatch(["type": "login/enteringCredential", "payload": .object([name: .string(text)])])
    }

    func reach(_ step: LoginStep) async {
        if step == .idle { return }
        _ = await enter("username", Self.username)
        if step == .validatingCredentials { return }
        _ = await enter("password", Self.password)
        if step == .validCredentials { return }
        let result = await store.dispatch(["type": "login/authenticate"])
        if step == .authenticating { return }
        client.reply(status: step == .authenticated ? 200 : 401, "{}")
        await result.settled()
    }
}

extension DispatchResult {
    /// The outcome in a word: `committed`, `ignored` or the reason of the rejection.
    var word: String {
        switch outcome {
        case .rejected(let rejection, _): rejection.reason
        case .committed: "committed"
        case .ignored: "ignored"
        default: "\(outcome)"
        }
    }

    func settled() async {
        await withCheckedContinuation { continuation in
            whenSettled { continuation.resume() }
        }
    }
}
