extension CommandDeclaration {
    /// The commands that read a session, or make something of it, and end.
    static let sessions = [get, log, diff, fork, share, delete, open]

    private static let get = CommandDeclaration(
        name: "get", group: .clients, summary: "print the state of a session, or a part of it",
        details: ["On a terminal the JSON has lines and indents; otherwise it is one line."],
        arguments: [
            .session,
            CommandArgument(
                placeholder: "POINTER", summary: "the part: a JSON Pointer or a selector", isRequired: false),
        ],
        flags: [
            .revision,
            CommandFlag(name: "--json", summary: "print the revision too, as the server answers"),
        ] + CommandFlag.connection,
        success: "the state is printed",
        failure: "there is no such session or revision, or the server cannot be reached",
        examples: [
            "storehouse get http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA /counter",
            "storehouse get 9GZ3mXk0cYbq2vT1sQeRpA --revision 4",
        ]
    ) { values throws(UsageError) in .session(.get(try GetCommand(values))) }

    private static let log = CommandDeclaration(
        name: "log", group: .clients, summary: "print the action log of a session, oldest first",
        details: [
            """
            Each line has the revision, the action, its sender, and its payload or what it has changed. The log is read in \
            pages, to its end. If it does not go back to its beginning any more, a line on standard error says so.
            """
        ],
        arguments: [.session],
        flags: [
            .changes, .refused, .since, .type, .origin,
            CommandFlag(name: "--json", summary: "print each entry as a JSON object in a line of its own"),
        ] + CommandFlag.connection,
        success: "the log is printed", failure: "there is no such session, or the server cannot be reached",
        examples: [
            "storehouse log http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA --changes",
            "storehouse log 9GZ3mXk0cYbq2vT1sQeRpA --refused",
        ]
    ) { values throws(UsageError) in .session(.log(try LogCommand(values))) }

    private static let diff = CommandDeclaration(
        name: "diff", group: .clients, summary: "print what has changed between two revisions of a session",
        arguments: [
            .session, CommandArgument(placeholder: "FROM", summary: "a revision"),
            CommandArgument(placeholder: "TO", summary: "another revision; the newest if left out", isRequired: false),
        ],
        flags: [.select, CommandFlag(name: "--json", summary: "print a JSON Patch (RFC 6902)")]
            + CommandFlag.connection,
        success: "the changes are printed, one in each line; none if there are none",
        failure: "there is no such session or revision, or the server cannot be reached",
        examples: ["storehouse diff http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA 5 9"]
    ) { values throws(UsageError) in .session(.diff(try DiffCommand(values))) }

    private static let fork = CommandDeclaration(
        name: "fork", group: .clients,
        summary: "make a session that begins with a state of another, and print its address",
        details: [
            """
            With --replay, what clients have sent after --revision is sent to the fork again, but for what --skip names, and \
            with TYPE, which is written as for send, in the place of what --replace names. What became of each action stands \
            in a line behind the address.
            """
        ],
        arguments: [.session, .type(isRequired: false), .members],
        flags: [
            .revision, .replay, .skip, .replace, .through,
            CommandFlag(name: CommandFlag.dryRun.name, summary: "show what a replay would do, and make no session"),
            CommandFlag(name: "--json", summary: "print the document of the new session"),
        ] + CommandFlag.connection,
        success: "the session is made", failure: "the server refuses it, or cannot be reached",
        examples: [
            "storehouse fork http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA --revision 8",
            "storehouse fork 9GZ3mXk0cYbq2vT1sQeRpA --revision 8 --skip 9,11 --dry-run",
            CommandExample { "storehouse fork 9GZ3mXk0cYbq2vT1sQeRpA --revision 8 --replace 9 \($0.action)" },
        ]
    ) { values throws(UsageError) in .session(.fork(try ForkCommand(values))) }

    private static let share = CommandDeclaration(
        name: "share", group: .clients, summary: "make a share of a session, and print its address",
        details: [
            """
            Whoever has the address may use this part of the session, without a token, until it expires. Permissions are \
            read, act and presence; without --may a share has read.
            """
        ],
        arguments: [.session],
        flags: [
            .sharedPermissions,
            CommandFlag(name: "--select", placeholder: "POINTER", summary: "share this part of the state only"),
            .actionTypes, .expiresIn, .guest, .guestName, .guestRoles, .label,
            CommandFlag(name: "--json", summary: "print the answer of the server"),
        ] + CommandFlag.connection,
        success: "the share is made", failure: "the server refuses it, or cannot be reached",
        examples: [
            "storehouse share http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA --select /counter --expires-in 8h",
            "storehouse share 9GZ3mXk0cYbq2vT1sQeRpA --may read,act --guest 17 --guest-name Ada --label desk",
        ]
    ) { values throws(UsageError) in .session(.share(try ShareCommand(values))) }

    private static let delete = CommandDeclaration(
        name: "delete", group: .clients, summary: "end a session for everybody",
        details: ["On a terminal it asks first."],
        arguments: [.session],
        flags: [.yes] + CommandFlag.connection,
        success: "the session has ended",
        failure: "the user did not want it, the server refuses it, or cannot be reached",
        examples: ["storehouse delete http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA --yes"]
    ) { values throws(UsageError) in .session(.delete(try DeleteCommand(values))) }

    private static let open = CommandDeclaration(
        name: "open", group: .clients, summary: "show a session, or a server, in the inspector",
        details: [
            """
            The program of the desktop opens the browser: open on macOS, xdg-open elsewhere. Where there is no desktop, the \
            address is printed.
            """
        ],
        arguments: [
            CommandArgument(
                placeholder: "URL",
                summary: "the address of a session or of a server, an id, or - for the last session",
                isRequired: false)
        ],
        success: "the browser has it, or the address is printed",
        examples: ["storehouse open http://localhost:8080/sessions/9GZ3mXk0cYbq2vT1sQeRpA"]
    ) { values throws(UsageError) in .session(.open(try OpenCommand(values))) }
}
