extension CommandDeclaration {
    /// The commands for developers and shells.
    static let tools = [
        CommandDeclaration(
            name: "types", group: .tools, summary: "print the types of a store kind for TypeScript or Swift",
            details: [
                """
                The types are those of the actions that clients may send, made from the schemas that the server \
                checks them with, that of the state, and the reasons for which the actions are rejected. A name that \
                the language does not allow is changed.
                """,
                """
                The Swift types are Codable and need no library; they have the selectors, and the answers, problems and \
                events of the server too. The TypeScript types are one module, whose only value is the version of the kind.
                """,
            ],
            arguments: [CommandArgument(placeholder: "KIND", summary: "the name of a store kind", values: .kinds)],
            flags: [.typeScript, .swift], failure: "this program has no such kind",
            examples: [
                CommandExample { "storehouse types --typescript \($0.name) > \($0.name).ts" },
                CommandExample { "storehouse types --swift \($0.name) > Actions.swift" },
            ]
        ) { values throws(UsageError) in
            let kind = try values.required(0, "KIND")
            switch (values.has(.typeScript), values.has(.swift)) {
            case (true, false): return .types(kind: kind, language: .typeScript)
            case (false, true): return .types(kind: kind, language: .swift)
            default: throw .wrong("choose one of --typescript and --swift")
            }
        },
        CommandDeclaration(
            name: "init", group: .tools,
            summary: "create a package with the store NAME, a test, a Dockerfile and a README",
            details: [
                """
                Creates the folder NAME with a whole server: 'swift run NAME serve' starts it. A folder that exists \
                and is not empty stays as it is.
                """,
                """
                The package depends on Storehouse: on the checkout or the repository of --from, else on the checkout \
                that this program was built from, if it is still on this machine. Its files have no absolute path, unless \
                --from is one.
                """,
            ],
            arguments: [
                CommandArgument(
                    placeholder: "NAME",
                    summary: "the name of the package and its store: a letter, then letters, digits and -")
            ],
            flags: [.from, .version, .json], success: "the package is created",
            failure: "the folder is not empty or cannot be written, or there is no checkout",
            examples: [
                "storehouse init hall && cd hall && swift run hall serve",
                "storehouse init hall --from https://git.example.com/storehouse.git --version 1.4.0",
            ]
        ) { values throws(UsageError) in
            .initialize(
                try InitCommand(
                    name: try values.required(0, "NAME"), from: values[.from], version: values[.version],
                    inJSON: values.has(.json)))
        },
        token,
        CommandDeclaration(
            name: "completion", group: .tools, summary: "print a script that completes commands and flags in a shell",
            details: [
                """
                The script knows the commands, their flags, the keys of the configuration, and the store kinds and action \
                types of this program. Print it again after an upgrade.
                """
            ],
            arguments: [
                CommandArgument(
                    placeholder: "SHELL", summary: "bash, zsh or fish",
                    values: .words(CompletionScript.Shell.allCases.map(\.rawValue)))
            ],
            examples: [
                "source <(storehouse completion bash)",
                "storehouse completion zsh > ~/.zfunc/_storehouse",
                "storehouse completion fish > ~/.config/fish/completions/storehouse.fish",
            ]
        ) { values throws(UsageError) in
            let text = try values.required(0, "SHELL")
            guard let shell = CompletionScript.Shell(rawValue: text) else {
                throw .wrong("SHELL must be bash, zsh or fish, not '\(text)'")
            }
            return .completion(shell)
        },
        CommandDeclaration(
            name: "version", group: .tools, summary: "print the version; --version does the same", flags: [.json],
            examples: ["storehouse --version --json"]
        ) { values in .version(inJSON: values.has(.json)) },
        CommandDeclaration(
            name: "help", group: .tools, summary: "list the commands, or explain one like COMMAND --help",
            details: [
                """
                With --man the output is a manual page in the language of man, of the whole program or of one command.
                """
            ],
            arguments: [
                CommandArgument(
                    placeholder: "COMMAND", summary: "the command to explain", isRequired: false, values: .commands)
            ],
            flags: [.man], examples: ["storehouse help send", "storehouse help --man | man -l -"]
        ) { values throws(UsageError) in
            let name = values.argument(0)
            if let name, CommandDeclaration.named(name) == nil { throw Invocation.unknown(name) }
            return values.has(.man) ? .manual(command: name) : .help(command: name)
        },
    ]
}

extension CommandFlag {
    fileprivate static let man = CommandFlag(name: "--man", summary: "print a manual page")
    fileprivate static let typeScript = CommandFlag(name: "--typescript", summary: "print TypeScript")
    fileprivate static let swift = CommandFlag(name: "--swift", summary: "print Swift")
    fileprivate static let from = CommandFlag(
        name: "--from", placeholder: "PATH|URL",
        summary: "the path of a checkout of Storehouse, or the URL of a repository",
        values: .files)
    fileprivate static let version = CommandFlag(
        name: "--version", placeholder: "V", summary: "the version in the repository, or a later one that is compatible"
    )
}

extension CommandDeclaration {
    private static let token = CommandDeclaration(
        name: "token", group: .tools, summary: "print a token for a server in token mode, for development and tests",
        details: [
            """
            The token is signed with the secret of the server (access.secret, HS256), so whoever may read the secret \
            may be anybody. In production an identity provider makes the tokens.
            """,
            "Permissions are create, read, act, delete, share and admin; without --may a token has all but admin.",
            """
            The name and the roles are in the claims that a server reads by default (access.nameClaim, access.rolesClaim); the \
            action log shows them.
            """,
        ],
        flags: CommandFlag.token,
        success: "the token is printed", failure: "the file cannot be used",
        examples: [
            "storehouse token --secret-file key --sub ada --expires 8h",
            #"curl -H "Authorization: Bearer $(storehouse token --secret-file key --sub ada)" localhost:8080/sessions/me"#,
        ]
    ) { values throws(UsageError) in .token(try TokenCommand(values)) }
}
