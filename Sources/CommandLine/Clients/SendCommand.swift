import JSON
import Observability
import StorehouseClient

/// Sends actions to a session.
package struct SendCommand: Sendable, Hashable {
    /// An action, as a user writes it on the command line.
    package struct ActionText: Sendable, Hashable {
        package var type: String
        package var members: [ActionMember]

        package init(_ type: String, _ members: [ActionMember] = []) { (self.type, self.members) = (type, members) }

        /// The actions with what is in files.
        static func read(_ actions: [ActionText], _ input: CommandInput) throws -> [ActionText] {
            let fromInput = actions.flatMap(\.members).count { if case .file(_, "-", _) = $0 { true } else { false } }
            guard fromInput <= 1 || input.isTerminal else {
                throw CommandFailure("standard input is no terminal, so only one member can be read from it")
            }
            return try actions.map { action in ActionText(action.type, try action.members.map { try $0.read(input) }) }
        }
    }

    package var url: SessionURL
    /// Several are a batch. Empty to read an action or a batch from standard input.
    package var actions: [ActionText]
    /// The store kind of the session to create; nil to use the session of the URL.
    package var store: String?
    package var select: String?
    /// In seconds.
    package var wait: Int?
    /// An entity tag with its quotes, or `*`.
    package var ifMatch: String?
    package var isDryRun = false
    /// Whether to print the whole state instead of what has changed.
    package var showsState = false
    package var inJSON = false
    package var connection = ClientConnection()
    /// Where the address of a created session is kept; nil for nowhere.
    package var lastSession: LastSession?

    package init(_ url: SessionURL, _ actions: [ActionText]) { (self.url, self.actions) = (url, actions) }

    package init(_ url: SessionURL, _ type: String) { self.init(url, [ActionText(type)]) }

    init(_ values: FlagValues) throws(UsageError) {
        // A single `-` is the action: a session alone is nothing to send.
        let isOnlyInput = values.arguments == ["-"]
        let (url, words) =
            isOnlyInput
            ? (try SessionURL(default: values.environment), values.arguments[...]) : try values.place(before: nil)
        self.init(url, try Self.actions(words))
        (store, select) = (values[.store], values[.select])
        try checkPlace(isGiven: words.count < values.arguments.count)
        if let text = values[.wait] {
            guard let seconds = Int(text), (0...86_400).contains(seconds) else {
                throw .wrong("--wait must be a whole number of seconds from 0 to 86400, not '\(text)'")
            }
            wait = seconds
        }
        ifMatch = values[.ifMatch].map { $0 == "*" || $0.contains("\"") ? $0 : "\"\($0)\"" }
        (isDryRun, showsState, inJSON) = (values.has(.dryRun), values.has(.state), values.has(.json))
        connection = try ClientConnection(values)
        lastSession = LastSession(values.environment)
    }

    /// The session must exist, or the server must be one on which it can be created.
    private mutating func checkPlace(isGiven: Bool) throws(UsageError) {
        if url.session == nil, store == nil {
            throw .wrong(
                isGiven
                    ? "'\(url.text)' is the address of a server; --store NAME creates a session, or use URL/sessions/ID"
                    : "no session is given: URL/sessions/ID, an id, or - for the last one; --store NAME creates one")
        }
        guard url.session != nil, store != nil else { return }
        if isGiven {
            throw .wrong("--store needs the address of a server, and '\(url.text)' is a session's")
        }
        url = try SessionURL(url.root)
    }

    /// `TYPE key=value… + TYPE key=value…`, or `-`.
    static func actions(_ words: ArraySlice<String>) throws(UsageError) -> [ActionText] {
        if words == ["-"] { return [] }
        var actions: [ActionText] = []
        for words in words.split(separator: "+", omittingEmptySubsequences: false) {
            guard let type = words.first else {
                throw .wrong("TYPE is missing" + (actions.isEmpty ? "" : " behind '+'"))
            }
            guard !type.contains("=") else { throw .wrong("TYPE is missing before a member of the payload") }
            var action = ActionText(type)
            for word in words.dropFirst() {
                let member = try ActionMember(word)
                guard !action.members.contains(where: { $0.name == member.name }) else {
                    throw .wrong("the member '\(member.name)' is given twice")
                }
                action.members.append(member)
            }
            actions.append(action)
        }
        return actions
    }

    /// Sends the actions, and prints the answer.
    ///
    /// - Throws: the problem, unless the answer is printed as JSON.
    /// - Returns: the exit code.
    package func run(_ terminal: ClientTerminal) async throws -> Int32 {
        let (given, actions) = try read(terminal.input)
        let server = try SessionServer(connection, url.root, timeout: .seconds(30 + (wait ?? 0)))
        guard let store else {
            let (response, before) = try await send(given, actions, to: url, server)
            return try report(response, before, terminal)
        }
        let session = try await server.createSession(of: store)
        let sent: (response: ClientResponse, before: JSONValue?)
        do {
            sent = try await send(given, actions, to: session, server)
        } catch {
            // The server may have the action all the same.
            created(session, terminal)
            throw error
        }
        // Neither a dry run nor a mistake in the action leaves a session behind.
        if isDryRun || !sent.response.isSuccess, await server.delete(session) {
            return try report(sent.response, sent.before, terminal)
        }
        created(session, terminal)
        return try report(sent.response, sent.before, of: session, terminal)
    }

    private func created(_ session: SessionURL, _ terminal: ClientTerminal) {
        lastSession?.keep(session)
        if !inJSON { terminal.printEscaped("session \(session.text)") }
    }

    /// The body from standard input, or the actions with what is in files.
    private func read(_ input: CommandInput) throws -> (given: JSONValue?, actions: [ActionText]) {
        guard !actions.isEmpty else {
            let body: JSONValue
            do {
                body = try JSONValue(parsing: try input.contents("-"))
            } catch let error as JSONSyntaxError {
                throw CommandFailure("standard input has no action as JSON: \(error)")
            }
            guard body.asObject != nil || body.asArray != nil else {
                throw CommandFailure("standard input must have an action, or a list of actions, as JSON")
            }
            return (body, [])
        }
        return (nil, try ActionText.read(actions, input))
    }

    /// - Returns: the answer, and the selected value before; nil if nobody wants it, or it cannot be read.
    private func send(
        _ given: JSONValue?, _ actions: [ActionText], to session: SessionURL, _ server: SessionServer
    ) async throws -> (response: ClientResponse, before: JSONValue?) {
        let body: JSONValue
        if let given { body = given } else { body = try await server.body(of: actions, to: session, store) }
        let before =
            inJSON || showsState ? nil : try await server.state(of: session, select: select).json?["state"]
        var headers: [String: String] = [:]
        if let wait { headers["Prefer"] = "wait=\(wait)" }
        if let ifMatch { headers["If-Match"] = ifMatch }
        let address = session.url(of: "actions", [("select", select), ("dryRun", isDryRun ? "true" : nil)])
        return (try await server.call("POST", address, headers, body), before)
    }

    /// - Parameters:
    ///   - before: the selected value before the action; nil if it is not known.
    ///   - created: the session that was created for the action; nil for none.
    private func report(
        _ response: ClientResponse, _ before: JSONValue?, of created: SessionURL? = nil, _ terminal: ClientTerminal
    ) throws -> Int32 {
        let document = response.json?.asObject
        if inJSON, let document {
            var result = JSONObject()
            if let id = created?.id { result["session"] = .string(id) }
            for (name, value) in document { result[name] = value }
            terminal.printEscaped(JSONValue.object(result).description)
            return response.isSuccess ? 0 : 1
        }
        // Somebody who may act, but not read, gets no body.
        if response.status == 204 {
            terminal.printEscaped(response.headers["storehouse-outcome"] ?? "committed")
            return 0
        }
        guard response.isSuccess, let document else { throw response.problem }
        terminal.printEscaped(summary(document).escapedForOneLine)
        let state = document["state"] ?? .null
        if showsState { terminal.printEscaped("state \(state)") }
        if let before {
            var changes = ChangeTexts(terminal.ink, of: before)
            for text in changes.texts(to: state) ?? [] where !terminal.print("  " + text) { break }
        }
        return 0
    }

    private func summary(_ document: JSONObject) -> String {
        let outcome = document["outcome"]?.asString ?? "?"
        let revision = "#\(document["revision"] ?? "?")"
        var words = isDryRun ? ["would be \(outcome) after \(revision)"] : [revision, outcome]
        let effects = (document["effects"]?.asArray ?? []).compactMap(\.asString)
        if !effects.isEmpty { words.append("effects: " + effects.joined(separator: ", ")) }
        if document["settled"] == false { words.append("(still running)") }
        return words.joined(separator: " ")
    }
}
