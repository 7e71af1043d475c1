import JSON
import StorehouseClient

/// The requests of client commands to a server.
struct SessionServer {
    private let transport: any ClientTransport
    private let root: String
    /// Every request has these header fields.
    private let headers: [String: String]

    /// - Parameter timeout: the longest time of a request.
    init(
        _ connection: ClientConnection, _ root: String, timeout: Duration = .seconds(30)
    ) throws(CommandFailure) {
        transport = connection.transport(timeout: timeout)
        headers = try connection.authorizedHeaders()
        self.root = root
    }

    func call(
        _ method: String, _ url: String, _ fields: [String: String] = [:], _ body: JSONValue? = nil
    ) async throws(CommandFailure) -> ClientResponse {
        var all = headers.merging(fields) { $1 }
        if body != nil { all["Content-Type"] = "application/json" }
        do throws(TransportFailure) {
            return try await transport.send(ClientRequest(method, url, headers: all, body: body?.encoded()))
        } catch {
            throw CommandFailure("\(root): \(error)")
        }
    }

    /// The document at an address. A problem is a failure.
    func document(
        _ method: String, _ url: String, _ body: JSONValue? = nil
    ) async throws(CommandFailure) -> JSONValue {
        try await call(method, url, [:], body).document()
    }

    /// - Returns: the new session, and its document.
    func createSession(of store: String) async throws(CommandFailure) -> SessionURL {
        let document = try await document("POST", root + "/sessions", ["store": .string(store)])
        guard let id = document["id"]?.asString else { throw CommandFailure("\(root) is not a Storehouse server") }
        return SessionURL(root: root, id: id)
    }

    /// - Returns: whether the session is gone.
    func delete(_ session: SessionURL) async -> Bool {
        (try? await call("DELETE", session.url()))?.isSuccess == true
    }

    /// The selected value of a session.
    ///
    /// - Parameter revision: nil for that of now.
    func state(
        of session: SessionURL, select: String?, at revision: Int? = nil
    ) async throws(CommandFailure) -> ClientResponse {
        try await call("GET", session.url(of: "state", [("select", select), ("revision", revision.map(String.init))]))
    }

    /// The schemas of the payloads of actions, by their types; without those that the server does not publish. The server itself
    /// refuses such an action, and names similar ones.
    ///
    /// - Parameter store: the kind of the session; nil to ask the server.
    private func schemas(
        of types: Set<String>, store: String?, session: SessionURL
    ) async throws(CommandFailure) -> [String: JSONValue] {
        var kind = store
        // Nothing says of which kind a share is.
        if kind == nil, session.id != nil { kind = try await document("GET", session.url())["store"]?.asString }
        var schemas: [String: JSONValue] = [:]
        let stores = try await document("GET", root + "/stores")["stores"]?.asArray ?? []
        for candidate in stores where kind == nil || candidate["name"]?.asString == kind {
            for action in candidate["actions"]?.asArray ?? [] {
                guard let type = action["type"]?.asString, types.contains(type), schemas[type] == nil else { continue }
                schemas[type] = action["payload"]
            }
        }
        return schemas
    }

    /// The JSON of an action, or of a batch if there are several.
    ///
    /// - Parameters:
    ///   - actions: what is in files is read.
    ///   - store: the kind of the session; nil to ask the server.
    func body(
        of actions: [SendCommand.ActionText], to session: SessionURL, _ store: String? = nil
    ) async throws(CommandFailure) -> JSONValue {
        let types = Set(actions.filter { $0.members.contains(where: \.isText) }.map(\.type))
        let schemas = types.isEmpty ? [:] : try await schemas(of: types, store: store, session: session)
        let bodies = actions.map { action -> JSONValue in
            var body: JSONObject = ["type": .string(action.type)]
            if !action.members.isEmpty {
                body["payload"] = .object(ActionMember.payload(action.members, schema: schemas[action.type]))
            }
            return .object(body)
        }
        return bodies.count == 1 ? bodies[0] : .array(bodies)
    }
}

extension ClientResponse {
    var isSuccess: Bool { (200...299).contains(status) }

    /// The body as JSON; nil if it is none.
    var json: JSONValue? { try? JSONValue(parsing: body, maximumDepth: JSONValue.maxDepth) }

    var problem: CommandFailure { CommandFailure(ProblemText.text(status: status, body: body)) }

    /// The body of an answer that is no problem.
    func document() throws(CommandFailure) -> JSONValue {
        guard isSuccess, let json else { throw problem }
        return json
    }

    /// The oldest revision that there still is, if the answer says that an older one is gone.
    var oldestRevision: Int? { status == 410 ? json?["oldest"]?.asInteger : nil }
}
