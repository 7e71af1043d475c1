import JSON

/// Prints what has changed between two revisions of a session.
package struct DiffCommand: Sendable, Hashable {
    var url: SessionURL
    var from: Int
    /// Nil for the newest.
    var to: Int?
    var select: String?
    var inJSON: Bool
    var connection: ClientConnection

    init(_ values: FlagValues) throws(UsageError) {
        let (url, words) = try values.ownSession(before: 2)
        guard let first = words.first else { throw .wrong("FROM is missing") }
        from = try FlagValues.revision(first, "FROM")
        to = try words.dropFirst().first.map { (word) throws(UsageError) in try FlagValues.revision(word, "TO") }
        (self.url, select, inJSON) = (url, values[.select], values.has(.json))
        connection = try ClientConnection(values)
    }

    func run(_ terminal: ClientTerminal) async throws {
        let server = try SessionServer(connection, url.root)
        let old = try await server.state(of: url, select: select, at: from).document()["state"] ?? .null
        let new = try await server.state(of: url, select: select, at: to).document()["state"] ?? .null
        let patch = JSONPatch(from: old, to: new)
        if inJSON {
            var json = JSONWriter()
            json.value(patch)
            terminal.printEscaped(String(decoding: json.finish(), as: UTF8.self))
            return
        }
        var changes = ChangeTexts(terminal.ink, of: old)
        for text in changes.texts(of: patch) where !terminal.print(text) { return }
    }
}
