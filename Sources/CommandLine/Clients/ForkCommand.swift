import JSON

/// Makes a session that begins with a state of another.
package struct ForkCommand: Sendable, Hashable {
    struct Replacement: Sendable, Hashable {
        var revision: Int
        var action: SendCommand.ActionText
    }

    var url: SessionURL
    /// Nil for the newest.
    var revision: Int?
    /// Whether the actions of clients since then are sent again.
    var replays: Bool
    var skipped: [Int]
    /// The action that is sent in the place of another, and the revision of that; nil for none.
    var replaced: Replacement?
    /// The last action that is sent again; nil for all.
    var last: Int?
    var isDryRun: Bool
    var inJSON: Bool
    var connection: ClientConnection
    var lastSession: LastSession

    init(_ values: FlagValues) throws(UsageError) {
        let words: ArraySlice<String>
        (url, words) = try values.ownSession(before: values.has(.replace) ? nil : 0)
        revision = try values.revision(.revision)
        skipped = try (values.list(.skip) ?? []).map { (word) throws(UsageError) in
            try FlagValues.revision(word, CommandFlag.skip.name)
        }
        last = try values.revision(.through)
        replays = [CommandFlag.replay, .skip, .replace, .through].contains(where: values.has)
        (isDryRun, inJSON) = (values.has(.dryRun), values.has(.json))
        if replays, revision == nil { throw .wrong("a replay needs --revision, after which actions are sent again") }
        if isDryRun, !replays { throw .wrong("--dry-run shows a replay; add --replay and --revision") }
        replaced = try Self.replacement(try values.revision(.replace), words)
        connection = try ClientConnection(values)
        lastSession = LastSession(values.environment)
    }

    /// - Parameter words: `TYPE key=value…`
    private static func replacement(_ revision: Int?, _ words: ArraySlice<String>) throws(UsageError) -> Replacement? {
        guard let revision else {
            guard words.isEmpty else {
                throw .wrong("TYPE needs --replace N, the revision of the action in whose place it is sent")
            }
            return nil
        }
        let actions = try SendCommand.actions(words)
        guard actions.count == 1 else {
            throw .wrong("--replace sends one action, TYPE key=value…, in the place of another")
        }
        return Replacement(revision: revision, action: actions[0])
    }

    func run(_ terminal: ClientTerminal) async throws {
        let server = try SessionServer(connection, url.root)
        var body = JSONObject()
        if let revision { body["revision"] = .integer(revision) }
        if replays {
            var replay: JSONObject = ["skip": .array(skipped.map(JSONValue.integer))]
            if let last { replay["through"] = .integer(last) }
            if let replaced {
                let actions = try SendCommand.ActionText.read([replaced.action], terminal.input)
                replay["replace"] = .object([String(replaced.revision): try await server.body(of: actions, to: url)])
            }
            body["replay"] = .object(replay)
        }
        let document = try await server.document(
            "POST", url.url(of: "forks", [("dryRun", isDryRun ? "true" : nil)]), .object(body))
        let fork = document["id"]?.asString.map { SessionURL(root: url.root, id: $0) }
        if let fork { lastSession.keep(fork) }
        if inJSON {
            terminal.printEscaped(document.description)
            return
        }
        if let fork { terminal.printEscaped(fork.text) }
        for entry in document["replay"]?.asArray ?? [] {
            let ink = terminal.ink
            let reason = entry["reason"].map { ": " + ink.text($0) } ?? ""
            let outcome = ink.text(entry["outcome"]) + reason
            let words = [ink.revision(entry["revision"]), ink.text(entry["type"]), outcome]
            guard terminal.print(words.joined(separator: " ")) else { return }
        }
    }
}
