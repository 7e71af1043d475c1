import JSON
import Observability
import Platform
import RemoteServices
import Upstream

/// How a client command reaches a server.
package struct ClientConnection: Sendable, Hashable {
    /// Fields of every request, such as the credentials that a proxy asks for.
    package var headers: [String: String] = [:]
    /// A file of trusted certificates (PEM); nil for those of the system.
    package var caFile: String?

    package init(headers: [String: String] = [:], caFile: String? = nil) {
        self.headers = headers
        self.caFile = caFile
    }

    init(_ values: FlagValues) throws(UsageError) {
        caFile = values[.caFile]
        if let caFile, access(caFile, R_OK) != 0 { throw .wrong("--ca-file \(caFile) cannot be read") }
        for text in values.all(.header) {
            guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
                // The value may be a secret.
                throw .wrong("--header needs a name and a value: \(CommandFlag.header.text)")
            }
            headers[String(text[..<colon])] = String(text[text.index(after: colon)...].drop { $0 == " " })
        }
    }
}

extension CommandDeclaration {
    /// The commands that talk to a running server.
    static let clients = [
        CommandDeclaration(
            name: "watch", group: .clients, summary: "follow the events of a session, one line for each",
            details: [
                """
                Shows the state, then each change with the old and the new value, and the effects that run. It \
                reconnects by itself, after the time that the server asks for and at most 30 seconds, and misses \
                nothing. A server that is silent for 2.5 of its heartbeats is given up, and asked again at once. A \
                first connection that fails ends it.
                """,
                """
                URL is the address of a session, also with /events and parameters such as ?select=/counter. Ctrl-C \
                ends it by SIGINT, which a shell shows as the exit code 130. Colours appear on a terminal only.
                """,
            ],
            arguments: [CommandArgument(placeholder: "URL", summary: "the address of a session")],
            flags: [
                .select,
                CommandFlag(name: "--json", summary: "print each event as a JSON object in a line of its own"),
                .header, .caFile,
            ],
            success: "the session has ended, or nobody reads the output any more",
            failure: "the server refuses the stream, or cannot be reached at first",
            examples: [
                "storehouse watch http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA",
                "storehouse watch 'https://example.org/sessions/9GZ3mXk0cYbq2vT1sQeRpA/events?select=/counter'",
            ]
        ) { values throws(UsageError) in
            let url = try SessionURL(try values.required(0, "URL"))
            guard url.session != nil else {
                throw .wrong("'\(url.text)' is the address of a server, not of a session: URL/sessions/ID")
            }
            return .watch(
                WatchCommand(
                    url, select: values[.select], connection: try ClientConnection(values), inJSON: values.has(.json)))
        },
        CommandDeclaration(
            name: "send", group: .clients, summary: "send an action to a session, and print what came of it",
            details: [
                """
                Each key=value is a member of the payload. The schema of the action decides what the value is: by=2 \
                is a number where the schema wants one, title=2 a text. key:=JSON gives a value as JSON.
                """,
                """
                With --store, URL is the address of a server: a session of that store kind is created first, and \
                its address is printed. If the server refuses the action, the session is deleted again. With --dry-run \
                nothing is committed, no effect runs, and no session stays.
                """,
            ],
            arguments: [
                CommandArgument(placeholder: "URL", summary: "the address of a session, or of a server with --store"),
                CommandArgument(placeholder: "TYPE", summary: "the type of the action, as GET /stores lists it"),
                CommandArgument(
                    placeholder: "key=value", summary: "a member of the payload; key:=JSON for any JSON",
                    isRequired: false, isRepeatable: true),
            ],
            flags: [.store, .select, .wait, .ifMatch, .dryRun, .json, .header, .caFile],
            success: "the action was committed, or ignored because it changes nothing now",
            failure: "the server refused the action, or cannot be reached",
            examples: [
                CommandExample { "storehouse send http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA \($0.action)" },
                CommandExample {
                    "storehouse send http://localhost:8080 \($0.slowAction) --store \($0.name) --wait 5"
                },
            ]
        ) { values throws(UsageError) in .send(try SendCommand(values)) },
    ]
}

extension CommandFlag {
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
}

/// The readable form of a problem document (RFC 9457).
package enum ProblemText {
    /// - Parameters:
    ///   - body: the body of the answer; another document than a problem gives a text with the status only.
    package static func text(status: Int, body: [UInt8]) -> String {
        guard let problem = try? JSONValue(parsing: body), let code = problem["code"]?.asString else {
            return "the server answered with the status \(status)"
        }
        let title = problem["title"]?.asString ?? "the request was refused"
        let detail = problem["detail"]?.asString ?? ""
        var lines = ["\(title) (\(status) \(code))" + (detail.isEmpty ? "" : ": \(detail)")]
        // The detail may have the only error, and the similar names.
        for error in problem["errors"]?.asArray ?? [] {
            let reason = error["detail"]?.asString ?? ""
            if !detail.contains(reason) { lines.append("  \(error["pointer"]?.asString ?? ""): \(reason)") }
        }
        let nearest = (problem["nearest"]?.asArray ?? []).compactMap(\.asString)
        if !nearest.isEmpty, !detail.contains(nearest[0]) {
            lines.append("Did you mean \(nearest.joined(separator: " or "))?")
        }
        return lines.map(\.escapedForOneLine).joined(separator: "\n")
    }
}
