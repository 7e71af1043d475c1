import JSON
import Locks
import RemoteServices
import StoreHosting
import StoreKinds
import Stores
import StoresTesting

extension StoreKind {
    /// Every kind, its remote services played by one script.
    static func scripted(_ client: ScriptedRemoteClient) -> [StoreKind] {
        all.map { $0.connected(to: RemoteClients(["animal": client, "auth": client])) }
    }
}

extension StoreElements {
    /// A store of one slice alone.
    func definition(_ initial: State) -> StoreDefinition<State> {
        StoreDefinition("slice", "A slice.", initial) { self }
    }

    /// A state as clients see it.
    func json(_ state: State) -> String { String(decoding: definition(state).kind.initialState, as: UTF8.self) }
}

extension Animal {
    static let rules = elements.definition(Animal())
}

extension Login {
    static let rules = elements.definition(Login())
}

extension LoginForm {
    static let rules = elements.definition(LoginForm())
}

extension JSONEncodable {
    var text: String {
        var json = JSONWriter()
        json.value(self)
        return String(decoding: json.finish(), as: UTF8.self)
    }
}

extension HostedStore {
    /// Dispatches JSON and waits for what comes of it.
    func dispatch(_ body: JSONValue, _ options: DispatchOptions = DispatchOptions()) async -> DispatchResult {
        await Promise.value { dispatch(body, options, done: $0) }
    }

    var json: String { String(decoding: read().json, as: UTF8.self) }

    func json(_ selector: String) -> String { String(decoding: read(.named(selector)).json, as: UTF8.self) }
}

extension HostedStore {
    /// Waits until what it sent to itself is reduced, as an asynchronous store does later.
    func runPendingActions() async {
        var options = DispatchOptions()
        options.expectedRevisions = [-1]
        for type in ["login/ackError", "animal/ackError", "form/ackError", "counter/increment", "trends/reset"] {
            // Each of these is refused after the queued actions, whatever the kind.
            _ = await dispatch(["type": .string(type)], options)
        }
    }
}
