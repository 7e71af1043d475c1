import JSON

/// Makes a share of a session.
package struct ShareCommand: Sendable, Hashable {
    private static let permissions = ["read", "act", "presence"]
    private static let maxDays = 30

    var url: SessionURL
    var body: JSONObject
    var inJSON: Bool
    var connection: ClientConnection

    init(_ values: FlagValues) throws(UsageError) {
        url = try values.ownSession().url
        connection = try ClientConnection(values)
        inJSON = values.has(.json)
        body = JSONObject()
        if let names = values.list(.sharedPermissions) {
            for name in names where !Self.permissions.contains(name) {
                throw .wrong("--may has no '\(name)'\(Self.permissions.hint(for: name))")
            }
            body["may"] = Self.texts(names)
        }
        body["select"] = values[.select].map(JSONValue.string)
        body["actions"] = values.list(.actionTypes).map(Self.texts)
        body["label"] = values[.label].map(JSONValue.string)
        if let text = values[.expiresIn] {
            body["expiresIn"] = .integer(try TokenCommand.lifetime(text, .expiresIn, atMost: Self.maxDays))
        }
        var guest = JSONObject()
        guest["id"] = values[.guest].map(JSONValue.string)
        guest["name"] = values[.guestName].map(JSONValue.string)
        guest["roles"] = values.list(.guestRoles).map(Self.texts)
        guard !guest.isEmpty else { return }
        guard values.has(.guest) else {
            throw .wrong("--guest-name and --guest-roles need --guest, the id of the guest")
        }
        body["as"] = .object(guest)
    }

    func run(_ terminal: ClientTerminal) async throws {
        let server = try SessionServer(connection, url.root)
        let document = try await server.document("POST", url.url(of: "shares"), .object(body))
        guard let share = document["share"]?.asString else {
            throw CommandFailure("\(url.root) is not a Storehouse server")
        }
        terminal.printEscaped(inJSON ? document.description : "\(url.root)/shared/\(share)")
    }

    private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
