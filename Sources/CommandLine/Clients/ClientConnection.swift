import Curl
import Platform
import StorehouseClient
import StorehouseServer

/// How a client command reaches a server.
package struct ClientConnection: Sendable, Hashable {
    /// Fields of every request, such as the credentials that a proxy asks for.
    package var headers: [String: String] = [:]
    /// A file of trusted certificates (PEM); nil for those of the system.
    package var caFile: String?
    /// Makes a token for the user; nil if the headers have one, or none is needed.
    package var sender: TokenCommand?

    package init(headers: [String: String] = [:], caFile: String? = nil) {
        self.headers = headers
        self.caFile = caFile
    }

    init(_ values: FlagValues) throws(UsageError) {
        caFile = values[.caFile]
        if let caFile, access(caFile, R_OK) != 0 { throw .wrong("--ca-file \(caFile) cannot be read") }
        for text in values.all(.header) {
            // The value may be a secret.
            let failure = UsageError.wrong("--header needs a name and a value: \(CommandFlag.header.text)")
            guard let colon = text.firstIndex(of: ":") else { throw failure }
            let (name, value) = (String(text[..<colon]), String(text[text.index(after: colon)...].drop { $0 == " " }))
            guard FieldLine.line(name, value) != nil else { throw failure }
            headers[name] = value
        }
        if values.has(.as) {
            sender = try TokenCommand(values, subject: .as)
            sender?.lifetime = 60
        } else if let flag = CommandFlag.sender.first(where: values.has) {
            throw .wrong("\(flag.name) needs --as, which says who you are")
        }
    }

    /// The fields of every request, with a token of the user.
    func authorizedHeaders() throws(CommandFailure) -> [String: String] {
        guard let sender else { return headers }
        return headers.merging(["Authorization": "Bearer " + (try sender.token().text)]) { $1 }
    }

    /// Carries the requests, with connections of its own.
    ///
    /// - Parameter timeout: the longest time of a request that is no stream; nil for any.
    func transport(timeout: Duration? = nil) -> CurlTransport {
        var settings = CurlTransport.Settings()
        settings.caFile = caFile
        settings.timeout = timeout
        settings.maxBodyBytes = 1 << 30
        settings.userAgent = StorehouseVersion.userAgent
        return CurlTransport(settings)
    }
}

extension CommandFlag {
    /// The flags of every command that talks to a server.
    static let connection = sender + [header, caFile]

    static let select = CommandFlag(
        name: "--select", placeholder: "POINTER", summary: "show this part of the state: a JSON Pointer or a selector")
    static let header = CommandFlag(
        name: "--header", placeholder: "'NAME: VALUE'", summary: "send this header field; repeatable",
        isRepeatable: true)
    static let caFile = CommandFlag(
        name: "--ca-file", placeholder: "FILE", summary: "trust these certificates (PEM) instead of the system's",
        values: .files)
    static let store = CommandFlag(
        name: "--store", placeholder: "NAME", summary: "create a session of this store kind first", values: .kinds)
    static let wait = CommandFlag(
        name: "--wait", placeholder: "SECONDS", summary: "wait so long for the effects of the action")
    static let ifMatch = CommandFlag(
        name: "--if-match", placeholder: "REV", summary: "commit only if the session is at this revision")
    static let dryRun = CommandFlag(name: "--dry-run", summary: "show what the action would change, and do nothing")
    static let state = CommandFlag(name: "--state", summary: "print the whole state instead of what has changed")
    static let since = CommandFlag(name: "--since", placeholder: "N", summary: "only what was done after this revision")
    static let actions = CommandFlag(name: "--actions", summary: "show the actions with their payloads, and no changes")
    static let noState = CommandFlag(name: "--no-state", summary: "do not show the first state")
}
