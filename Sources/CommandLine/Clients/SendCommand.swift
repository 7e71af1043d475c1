import JSON
import Observability
import StorehouseClient

/// Sends an action to a session.
package struct SendCommand: Sendable, Hashable {
    package var url: SessionURL
    package var type: String
    package var members: [ActionMember] = []
    /// The store kind of the session to create; nil to use the session of the URL.
    package var store: String?
    package var select: String?
    /// In seconds.
    package var wait: Int?
    /// An entity tag with its quotes, or `*`.
    package var ifMatch: String?
    package var isDryRun = false
    package var inJSON = false
    package var connection = ClientConnection()
    /// Makes a token for the sender; nil if the headers have one, or none is needed.
    package var sender: TokenCommand?

    package init(_ url: SessionURL, _ type: String) {
        self.url = url
        self.type = type
    }

    init(_ values: FlagValues) throws(UsageError) {
        self.init(try SessionURL(try values.required(0, "URL")), try values.required(1, "TYPE"))
        for word in values.arguments.dropFirst(2) {
            let member = try ActionMember(word)
            guard !members.contains(where: { $0.name == member.name }) else {
                throw .wrong("the member '\(member.name)' is given twice")
            }
            members.append(member)
        }
        (store, select) = (values[.store], values[.select])
        if url.session == nil, store == nil {
            throw .wrong(
                "'\(url.text)' is the address of a server; --store NAME creates a session, or use URL/sessions/ID")
        }
        if url.session != nil, store != nil {
            throw .wrong("--store needs the address of a server, and '\(url.text)' is a session's")
        }
        if let text = values[.wait] {
            guard let seconds = Int(text), (0...86_400).contains(seconds) else {
                throw .wrong("--wait must be a whole number of seconds from 0 to 86400, not '\(text)'")
            }
            wait = seconds
        }
        ifMatch = values[.ifMatch].map { $0 == "*" || $0.contains("\"") ? $0 : "\"\($0)\"" }
        (isDryRun, inJSON) = (values.has(.dryRun), values.has(.json))
        connection = try ClientConnection(values)
        if values.has(.as) {
            sender = try TokenCommand(values, subject: .as)
            sender?.lifetime = 60
        } else if let flag = CommandFlag.sender.first(where: values.has) {
            throw .wrong("\(flag.name) needs --as, which says who sends the action")
        }
    }

    /// Sends the action, and prints the answer.
    ///
    /// - Throws: the problem, unless the answer is printed as JSON.
    /// - Returns: the exit code.
    package func run(print: (String) -> Void) async throws -> Int32 {
        var headers = connection.headers
        if let sender { headers["Authorization"] = "Bearer " + (try sender.token().text) }
        let transport = connection.transport(timeout: .seconds(30 + (wait ?? 0)))
        let server = Server(transport: transport, root: url.root, headers: headers)
        guard let store else {
            return try report(try await send(to: url, server), print: print)
        }
        let session = SessionURL(root: url.root, id: try await server.createSession(of: store))
        let response: ClientResponse
        do {
            response = try await send(to: session, server)
        } catch {
            // The server may have the action all the same.
            if !inJSON { print("session \(session.text)") }
            throw error
        }
        // Neither a dry run nor a mistake in the action leaves a session behind.
        if isDryRun || !response.isSuccess, await server.delete(session) { return try report(response, print: print) }
        if !inJSON { print("session \(session.text)") }
        return try report(response, of: session, print: print)
    }

    private func send(to session: SessionURL, _ server: Server) async throws -> ClientResponse {
        var body: JSONObject = ["type": .string(type)]
        if !members.isEmpty {
            let hasTexts = members.contains { if case .text = $0 { true } else { false } }
            let schema = hasTexts ? try await server.schema(of: type, store: store, session: session) : nil
            body["payload"] = .object(ActionMember.payload(members, schema: schema))
        }
        var headers: [String: String] = [:]
        if let wait { headers["Prefer"] = "wait=\(wait)" }
        if let ifMatch { headers["If-Match"] = ifMatch }
        let query = session.query.map { "?" + $0 } ?? ""
        let address = SessionAddress(session.text + query).url(
            of: "actions", [("select", select), ("dryRun", isDryRun ? "true" : nil)])
        return try await server.call("POST", address, headers, .object(body))
    }

    /// - Parameter created: the session that was created for the action; nil for none.
    private func report(
        _ response: ClientResponse, of created: SessionURL? = nil, print: (String) -> Void
    ) throws -> Int32 {
        let document = (try? JSONValue(parsing: response.body, maximumDepth: JSONValue.maxDepth))?.asObject
        if inJSON, let document {
            var result = JSONObject()
            if let id = created?.id { result["session"] = .string(id) }
            for (name, value) in document { result[name] = value }
            print(JSONValue.object(result).description)
            return response.isSuccess ? 0 : 1
        }
        guard response.isSuccess, let document else {
            throw CommandFailure(ProblemText.text(status: response.status, body: response.body))
        }
        let outcome = document["outcome"]?.asString ?? "?"
        let revision = "#\(document["revision"] ?? "?")"
        var words = isDryRun ? ["would be \(outcome) after \(revision)"] : [revision, outcome]
        let effects = (document["effects"]?.asArray ?? []).compactMap(\.asString)
        if !effects.isEmpty { words.append("effects: " + effects.joined(separator: ", ")) }
        if document["settled"] == false { words.append("(still running)") }
        print(words.joined(separator: " ").escapedForOneLine)
        if let patch = document["patch"] { print("patch \(patch)") }
        print("state \(document["state"] ?? .null)")
        return 0
    }
}

/// The requests of ``SendCommand``.
private struct Server {
    let transport: any ClientTransport
    let root: String
    /// Every request has these header fields.
    let headers: [String: String]

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

    /// The document at a path. A problem is a failure.
    private func document(
        _ path: String, _ method: String = "GET", _ body: JSONValue? = nil
    ) async throws(CommandFailure) -> JSONValue {
        let response = try await call(method, root + path, [:], body)
        guard response.isSuccess,
            let document = try? JSONValue(parsing: response.body, maximumDepth: JSONValue.maxDepth)
        else { throw CommandFailure(ProblemText.text(status: response.status, body: response.body)) }
        return document
    }

    /// - Returns: the id.
    func createSession(of store: String) async throws(CommandFailure) -> String {
        guard let id = try await document("/sessions", "POST", ["store": .string(store)])["id"]?.asString else {
            throw CommandFailure("\(root) is not a Storehouse server")
        }
        return id
    }

    /// - Returns: whether the session is gone.
    func delete(_ session: SessionURL) async -> Bool {
        (try? await call("DELETE", session.text))?.isSuccess == true
    }

    /// The schema of an action's payload; nil if the server does not publish one. The server itself refuses the action then,
    /// and names similar ones.
    ///
    /// - Parameter store: the kind of the session; nil to ask the server.
    func schema(
        of type: String, store: String?, session: SessionURL
    ) async throws(CommandFailure) -> JSONValue? {
        var kind = store
        // Nothing says of which kind a share is.
        if kind == nil, session.id != nil, let path = session.session {
            kind = try await document(path)["store"]?.asString
        }
        let stores = try await document("/stores")["stores"]?.asArray ?? []
        for candidate in stores where kind == nil || candidate["name"]?.asString == kind {
            let action = candidate["actions"]?.asArray?.first { $0["type"]?.asString == type }
            if let action { return action["payload"] }
        }
        return nil
    }
}

extension ClientResponse {
    fileprivate var isSuccess: Bool { (200...299).contains(status) }
}
