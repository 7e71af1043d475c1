import JSON
import Security
import StorehouseServer
import Stores

/// The sessions, shares and streams of a server that a model predicts.
struct ModelWorld {
    /// The server has done something else than the model says.
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private static let unknown = "/sessions/AAAAAAAAAAAAAAAAAAAAAA"

    /// One, or the nodes of a cluster.
    private let servers: [any TestServing]
    private let guild: GuildKind
    /// Whether sessions leave memory, and forget what they have refused.
    private let mayForget: Bool
    private var clients: [TestClient?]
    private var paths: [String] = []
    private var shares: [(path: String, id: String)] = []
    private var streams: [(reader: EventReader, value: JSONValue?)?] = []
    private var bindings = ModelBindings()
    /// The tokens that were made, which are valid for an hour.
    private var tokens: [String: String] = [:]

    init(_ servers: [any TestServing], _ guild: GuildKind, mayForget: Bool) {
        self.guild = guild
        self.servers = servers
        self.mayForget = mayForget
        clients = servers.map { _ in nil }
    }

    /// Makes a step as the model expects it.
    mutating func make(_ step: ModelStep, _ expected: ModelExpectation, _ model: AccessModel) async throws {
        let request = request(step, expected)
        var events = expected.events[...]
        if expected.isInterrupted {
            if mayForget { try await load(expected, model) }
            guild.answers(only: 1)
        }
        defer { guild.answers(only: nil) }
        if expected.opens != nil {
            let server = servers[step.node % servers.count]
            let client = try server.client()
            try await client.send(request.bytes)
            streams.append((try await EventReader(client), nil))
        } else {
            if expected.below.hasPrefix("/events") { try await checkThatNoneOpens(request, at: step.node) }
            if expected.isInterrupted { guild.answers(only: 1) }
            let response = try await send(request, to: step.node)
            guild.answers(only: nil)
            try check(response, expected)
            try await checkStrangeness(of: response, request, step, expected)
        }
        while let (stream, event) = events.popFirst() { try await check(event, on: stream) }
        for index in streams.indices where !model.streams[index].isOpen { streams[index] = nil }
    }

    /// A stream that opens has no end that could be waited for.
    private func checkThatNoneOpens(_ request: TestRequest, at node: Int) async throws {
        let client = try servers[node % servers.count].client()
        try await client.send(request.bytes)
        if try await client.head().status == 200 { throw Mismatch(description: "a stream opens") }
    }

    /// Brings a session into memory, where the makers of its shares are asked for.
    private mutating func load(_ expected: ModelExpectation, _ model: AccessModel) async throws {
        guard case .session(let session) = expected.target else { return }
        let owner = token(of: ModelSender(user: model.sessions[session].owner), for: nil)
        _ = try await send(TestRequest("GET", paths[session], TestTokens.field(owner)), to: 0)
    }

    private mutating func send(_ request: TestRequest, to node: Int) async throws -> TestResponse {
        let index = node % servers.count
        let client = try clients[index] ?? servers[index].client()
        clients[index] = client
        let response = try await client.exchange(request)
        if response["connection"] == "close" { clients[index] = nil }
        return response
    }
}

// Requests.
extension ModelWorld {
    private mutating func request(_ step: ModelStep, _ expected: ModelExpectation) -> TestRequest {
        var fields: [(String, String)] = []
        var path: String
        switch expected.target {
        case .sessions:
            path = "/sessions"
            fields = TestTokens.field(token(of: step.sender, for: nil))
        case .session(let session):
            path = paths[session]
            fields = TestTokens.field(token(of: step.sender, for: session))
        case .share(let share): path = shares[share].path
        }
        path += expected.below
        if case .share(let share) = expected.last { path += "/" + shares[share].id }
        if let key = expected.key { fields.append(("Idempotency-Key", "\"\(key)\"")) }
        if expected.waits { fields.append(("Prefer", "wait=60")) }
        guard let body = expected.body else { return TestRequest(expected.method, path, fields) }
        return TestRequest(expected.method, path, fields, json: body)
    }

    private mutating func token(of sender: ModelSender, for session: Int?) -> String {
        let name = "\(Array(sender.user.text.utf8)) \(sender.token) \(sender.token == .listing ? session ?? -1 : 0)"
        if let token = tokens[name] { return token }
        var claims: JSONObject = [:]
        switch sender.token {
        case .plain: break
        case .cashier: claims["roles"] = ["cashier"]
        case .reading: claims["may"] = ["read"]
        case .listing:
            claims["sessions"] = session.map { [.string(String(paths[$0].dropFirst("/sessions/".count)))] }
        }
        let token = TestTokens.token(sender.user.text, claims.isEmpty ? nil : .object(claims))
        tokens[name] = token
        return token
    }
}

// Answers.
extension ModelWorld {
    private mutating func check(_ response: TestResponse, _ expected: ModelExpectation) throws {
        func fail(_ what: String) -> Mismatch {
            Mismatch(description: "\(what); the answer is \(response.status) \(response.text.prefix(1000))")
        }
        guard response.status == expected.status else { throw fail("status \(expected.status) is expected") }
        guard response.status < 400 || response.code == expected.code else {
            throw fail("\(expected.code ?? "no code") is expected")
        }
        if response.status == 204, !response.body.isEmpty { throw fail("there is a body") }
        for name in expected.members.names {
            guard let value = expected.members[name], bindings.match(value, response.json[name]) else {
                throw fail("\(name) should be \(expected.members[name] ?? .null)")
            }
        }
        for name in expected.absent where response.json[name] != nil { throw fail("there is a member \(name)") }
        if let revision = expected.taggedRevision, response.taggedRevision != revision {
            throw fail("the tag should have \(revision) and not \(response["etag"] ?? "")")
        }
        guard (response["idempotency-replayed"] == "true") == expected.isReplayed else {
            throw fail("it is \(expected.isReplayed ? "" : "not ")the answer of before")
        }
        if let log = expected.log {
            let entries = response.json["actions"]?.asArray?.map(Self.entry)
            guard bindings.match(.array(log), entries.map { .array($0) }) else {
                throw fail("the log should be \(log)")
            }
        }
        if let refused = expected.refused { try check(refused: refused, response) }
        if let listed = expected.listed {
            let ids = Set(response.json["shares"]?.asArray?.compactMap { $0["id"]?.asString } ?? [])
            guard ids == Set(listed.map { shares[$0].id }) else { throw fail("the shares should be \(listed)") }
        }
        try note(response, expected)
    }

    /// The members of an entry of the log that the model knows. No payload is as good as an empty one.
    private static func entry(_ entry: JSONValue) -> JSONValue {
        var shown: JSONObject = [:]
        for name in ["revision", "type", "origin", "actor"] { shown[name] = entry[name] }
        shown["payload"] = entry["payload"] ?? [:]
        return .object(shown)
    }

    private func check(refused: [JSONValue], _ response: TestResponse) throws {
        let entries = (response.json["actions"]?.asArray ?? []).map { entry in
            var shown: JSONObject = [:]
            for name in ["type", "status", "code", "actor", "index", "reason"] { shown[name] = entry[name] }
            return JSONValue.object(shown)
        }
        guard mayForget || entries.count == refused.count, entries == Array(refused.prefix(entries.count)) else {
            throw Mismatch(description: "the refused actions should be \(refused) and not \(entries)")
        }
    }

    private mutating func note(_ response: TestResponse, _ expected: ModelExpectation) throws {
        if expected.makesSession {
            guard let path = response["location"] else { throw Mismatch(description: "no location") }
            paths.append(path)
        }
        if expected.makesShare {
            guard let text = response.json["share"]?.asString, let id = response.json["id"]?.asString else {
                throw Mismatch(description: "no share")
            }
            shares.append(("/shared/" + text, id))
        }
    }

    /// Whoever may not read a session gets the answer of a session that there is not.
    private mutating func checkStrangeness(
        of response: TestResponse, _ request: TestRequest, _ step: ModelStep, _ expected: ModelExpectation
    ) async throws {
        guard expected.isStrange, case .session(let session) = expected.target else { return }
        var other = request
        other.path = Self.unknown + request.path.dropFirst(paths[session].count)
        let unknown = try await send(other, to: step.node)
        guard Self.shape(of: unknown) == Self.shape(of: response) else {
            throw Mismatch(description: "a stranger can tell \(response.text) from \(unknown.text)")
        }
    }

    /// An answer without what differs in every answer.
    private static func shape(of response: TestResponse) -> [String] {
        let fields = response.fields.filter { $0.name != "date" && $0.name != "x-request-id" }
        return ["\(response.status)"] + fields.map { "\($0.name): \($0.value)" } + [response.textWithoutRequestID]
    }
}

// Events.
extension ModelWorld {
    private mutating func check(_ expected: ModelEvent, on stream: Int) async throws {
        guard let (reader, old) = streams[stream] else { throw Mismatch(description: "stream \(stream) is over") }
        let event = try await reader.event()
        func fail(_ what: String) -> Mismatch {
            Mismatch(description: "stream \(stream) should show \(what), and not \(event.map { "\($0)" } ?? "its end")")
        }
        guard let event else { throw fail("\(expected)") }
        switch expected {
        case .value(let value, let revision):
            guard ["state", "patch"].contains(event.name), event.revision == revision, event.skipped == nil else {
                throw fail("\(value) at \(revision)")
            }
            let new = try event.applied(to: old)
            guard bindings.match(value, new) else { throw fail("\(value)") }
            streams[stream]?.value = new
        case .action(let entry):
            guard event.name == "action", bindings.match(entry, Self.entry(event.data)) else { throw fail("\(entry)") }
        case .closed(let reason):
            guard event.name == "closed", event.data["reason"] == .string(reason) else { throw fail(reason) }
            if let more = try await reader.event() { throw Mismatch(description: "\(more) follows the end") }
        }
    }
}
