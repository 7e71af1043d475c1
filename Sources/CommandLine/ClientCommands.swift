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
            flags: [.store, .select, .wait, .ifMatch, .dryRun, .json] + CommandFlag.sender + [.header, .caFile],
            success: "the action was committed, or ignored because it changes nothing now",
            failure: "the server refused the action, or cannot be reached",
            examples: [
                CommandExample { "storehouse send http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA \($0.action)" },
                CommandExample {
                    "storehouse send http://localhost:8080 \($0.slowAction) --store \($0.name) --wait 5"
                },
                CommandExample {
                    "storehouse send http://localhost:8080/sessions/me \($0.action) --as ada --secret-file key"
                },
            ]
        ) { values throws(UsageError) in .send(try SendCommand(values)) },
    ]
}
