import JSON
import Observability
import StorehouseClient

/// Prints the action log of a session, a page after the other.
package struct LogCommand: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case payloads
        case changes
        /// The actions that were refused.
        case refused
    }

    var url: SessionURL
    var content: Content
    /// Only later ones; nil for all that there are.
    var since: Int?
    var type: String?
    var origin: String?
    var inJSON: Bool
    var connection: ClientConnection

    init(_ values: FlagValues) throws(UsageError) {
        url = try values.ownSession().url
        content = values.has(.refused) ? .refused : values.has(.changes) ? .changes : .payloads
        since = try values.revision(.since)
        (type, origin, inJSON) = (values[.type], values[.origin], values.has(.json))
        connection = try ClientConnection(values)
        let others = [CommandFlag.changes, .since, .type, .origin].filter(values.has)
        if content == .refused, let other = others.first {
            throw .wrong("\(other.name) does not go with --refused, which lists the last 100 refused actions")
        }
    }

    func run(_ terminal: ClientTerminal) async throws {
        let server = try SessionServer(connection, url.root)
        guard content != .refused else { return try await printRefused(server, terminal) }
        var start = since ?? 0
        var page = try await self.page(after: start, server)
        if let oldest = page.oldestRevision {
            // The revision before the oldest one of the log is the last whose state can be read.
            start = max(oldest - 1, start)
            if !inJSON { terminal.warn("the log no longer has the actions before #\(oldest)") }
            page = try await self.page(after: start, server)
        }
        let first = try page.document()
        var printer = Printer(
            command: self, terminal: terminal, changes: try await changes(after: start, server, terminal))
        var next = try printer.print(first)
        while let revision = next {
            next = try printer.print(try await self.page(after: revision, server).document())
        }
    }

    private func page(after revision: Int, _ server: SessionServer) async throws(CommandFailure) -> ClientResponse {
        try await server.call(
            "GET",
            url.url(
                of: "actions",
                [
                    ("after", "\(revision)"), ("limit", "1000"), ("type", type), ("origin", origin),
                    ("changes", content == .changes ? "true" : nil),
                ]))
    }

    /// The state before the first action, so that changes show what was there before. Where actions are left out, nobody knows it.
    private func changes(
        after revision: Int, _ server: SessionServer, _ terminal: ClientTerminal
    ) async throws(CommandFailure) -> ChangeTexts {
        guard content == .changes, type == nil, origin == nil, !inJSON else { return ChangeTexts(terminal.ink) }
        return ChangeTexts(terminal.ink, of: try await server.state(of: url, select: "", at: revision).json?["state"])
    }

    /// The server lists the newest first.
    private func printRefused(_ server: SessionServer, _ terminal: ClientTerminal) async throws {
        let document = try await server.document("GET", url.url(of: "actions", [("refused", "true")]))
        let printer = Printer(command: self, terminal: terminal, changes: ChangeTexts(terminal.ink))
        for entry in (document["actions"]?.asArray ?? []).reversed() {
            let words = ActionWords(entry, terminal.ink)
            guard printer.write(entry, words, words.refusal) else { return }
        }
    }
}

/// Writes the entries of a log.
private struct Printer {
    let command: LogCommand
    let terminal: ClientTerminal
    var changes: ChangeTexts

    /// Prints a page.
    ///
    /// - Returns: where the next one begins; nil if there is none, or nobody reads.
    mutating func print(_ page: JSONValue) throws(CommandFailure) -> Int? {
        guard let entries = page["actions"]?.asArray else {
            throw CommandFailure("\(command.url.root) is not a Storehouse server")
        }
        for entry in entries {
            let patch = command.content == .changes ? try? JSONPatch(entry["patch"] ?? .null) : nil
            let texts = command.inJSON ? nil : patch.map { changes.texts(of: $0) }
            let words = ActionWords(entry, terminal.ink)
            guard write(entry, words, words.line(texts)) else { return nil }
        }
        return page["next"]?.asInteger
    }

    func write(_ entry: JSONValue, _ words: ActionWords, _ line: [String]) -> Bool {
        if command.inJSON { return terminal.printEscaped(entry.description) }
        let time = terminal.ink.styled(words.time.map { terminal.clock.text(of: $0) } ?? "?", .dim)
        return terminal.print(([time] + line).joined(separator: " "))
    }
}
