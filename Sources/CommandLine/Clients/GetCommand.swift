import JSON

/// Prints the state of a session.
package struct GetCommand: Sendable, Hashable {
    var url: SessionURL
    var select: String?
    var revision: Int?
    var inJSON: Bool
    var connection: ClientConnection

    init(_ values: FlagValues) throws(UsageError) {
        let (url, words) = try values.session(before: 1)
        (self.url, select, inJSON) = (url, words.first, values.has(.json))
        revision = try values.revision(.revision)
        connection = try ClientConnection(values)
    }

    func run(_ terminal: ClientTerminal) async throws {
        let server = try SessionServer(connection, url.root)
        let document = try await server.state(of: url, select: select, at: revision).document()
        let value = inJSON ? document : document["state"] ?? .null
        terminal.printEscaped(terminal.isInteractive && !inJSON ? value.indented : value.description)
    }
}
