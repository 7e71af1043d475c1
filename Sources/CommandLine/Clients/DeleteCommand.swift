import JSON

/// Ends a session.
package struct DeleteCommand: Sendable, Hashable {
    var url: SessionURL
    /// Whether the user has said so already.
    var isSure: Bool
    var connection: ClientConnection

    init(_ values: FlagValues) throws(UsageError) {
        url = try values.ownSession().url
        isSure = values.has(.yes)
        connection = try ClientConnection(values)
    }

    /// - Returns: the exit code.
    func run(_ terminal: ClientTerminal) async throws -> Int32 {
        let server = try SessionServer(connection, url.root)
        if !isSure {
            guard terminal.input.isTerminal else {
                throw CommandFailure("nobody can be asked, because standard input is no terminal; add --yes")
            }
            // The question names the store and the revision, because an id alone says nothing.
            let document = try await server.document("GET", url.url())
            let ink = terminal.ink
            let (store, revision) = (ink.text(document["store"]), ink.text(document["revision"]))
            let question = "Delete the session of the store '\(store)' at #\(revision)? [y/N] "
            guard ["y", "yes"].contains(terminal.input.answer(question)?.lowercased()) else {
                terminal.warn("nothing was deleted")
                return 1
            }
        }
        let response = try await server.call("DELETE", url.url())
        guard response.isSuccess else { throw response.problem }
        return 0
    }
}
