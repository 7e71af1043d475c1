/// Shows a session in the inspector.
package struct OpenCommand: Sendable, Hashable {
    var url: SessionURL

    init(_ values: FlagValues) throws(UsageError) { url = try values.place(before: 0).url }

    /// The page of the inspector. Its fragment, which a browser sends to no server, names the session.
    package var address: String {
        if let id = url.id { return url.root + "/#" + id }
        // It begins with /shared/.
        return url.root + "/" + (url.session.map { "#share/" + $0.dropFirst(8) } ?? "")
    }

    func run(_ terminal: ClientTerminal) {
        if !terminal.browse(address) { terminal.printEscaped(address) }
    }
}
