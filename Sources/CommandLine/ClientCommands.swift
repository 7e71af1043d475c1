extension CommandDeclaration {
    /// The commands that talk to a running server.
    static let clients = [
        CommandDeclaration(
            name: "watch", group: .clients, summary: "follow the events of a session, one line for each",
            details: [
                """
                Shows the state, then each action with its sender and what it has changed, and the effects that run. \
                Times are local. A share, and a server that cannot tell of actions, show the changes alone.
                """,
                """
                It reconnects by itself, after the time that the server asks for and at most 30 seconds, and misses \
                nothing. A server that is silent for 2.5 of its heartbeats is given up, and asked again at once. A \
                first connection that fails ends it. With --since it begins with what was done after that revision, and \
                says so if the log does not go back so far.
                """,
                """
                URL is the address of a session, also with /events and parameters such as ?select=/counter. Ctrl-C \
                ends it by SIGINT, which a shell shows as the exit code 130. Colours appear on a terminal only.
                """,
            ],
            arguments: [.session],
            flags: [
                .select, .since, .actions, .noState,
                CommandFlag(name: "--json", summary: "print each event as a JSON object in a line of its own"),
            ] + CommandFlag.connection,
            success: "the session has ended, or nobody reads the output any more",
            failure: "the server refuses the stream, or cannot be reached at first",
            examples: [
                "storehouse watch http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA",
                "storehouse watch 9GZ3mXk0cYbq2vT1sQeRpA --since 40 --actions",
                "storehouse watch 'https://example.org/sessions/9GZ3mXk0cYbq2vT1sQeRpA/events?select=/counter'",
            ]
        ) { values throws(UsageError) in .watch(try WatchCommand(values)) },
        CommandDeclaration(
            name: "send", group: .clients, summary: "send an action to a session, and print what it has changed",
            details: [
                """
                Each key=value is a member of the payload. The schema of the action decides what the value is: by=2 \
                is a number where the schema wants one, title=2 a text. key:=JSON gives a value as JSON. key=@FILE and \
                key:=@FILE take it from a file, without the line end at its end; key=@- takes it from standard input, and at \
                a terminal asks for it without showing it, so that a secret stands neither in the history of the shell nor \
                in the list of processes. A value that begins with @ is written with two: key=@@ada.
                """,
                """
                A word + between two actions makes them a batch: all of them are committed, or none. With - instead of \
                TYPE the action, or the list of a batch, is read from standard input as JSON.
                """,
                """
                What has changed is the difference between the states before and after the action. With --store, URL is the \
                address of a server: a session of that store kind is created first, and \
                its address is printed. If the server refuses the action, the session is deleted again. With --dry-run \
                nothing is committed, no effect runs, and no session stays.
                """,
            ],
            arguments: [.session, .type(isRequired: true), .members],
            flags: [.store, .select, .state, .wait, .ifMatch, .dryRun, .json] + CommandFlag.connection,
            success: "the action was committed, or ignored because it changes nothing now",
            failure: "the server refused the action, or cannot be reached",
            examples: [
                CommandExample { "storehouse send http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA \($0.action)" },
                CommandExample {
                    "storehouse send http://localhost:8080 \($0.slowAction) --store \($0.name) --wait 5"
                },
                CommandExample { "storehouse send me \($0.action) + \($0.action) --as ada --secret-file key" },
            ]
        ) { values throws(UsageError) in .session(.send(try SendCommand(values))) },
    ]
}
