import Observability

/// The declaration of a command. Parsing, help, completion and docs/command-line.md follow from it.
struct CommandDeclaration: Sendable {
    /// The part of the command list that names it.
    enum Group: String, Sendable, CaseIterable {
        case server = "Server"
        case storage = "Storage"
        case clients = "Clients"
        case tools = "Tools"
    }

    let name: String
    let group: Group
    /// Its line in the list of commands.
    let summary: String
    /// What its help says beyond the summary, one string for each paragraph.
    var details: [String] = []
    var arguments: [CommandArgument] = []
    var flags: [CommandFlag] = []
    /// What the exit code 0 means.
    var success = "it is done"
    /// What the exit code 1 means.
    var failure = "it failed; the reason is on standard error"
    /// Command lines that show how it is used.
    let examples: [String]
    let invocation: @Sendable (FlagValues) throws(UsageError) -> Invocation

    /// Every command, in the order of the help.
    static let all = server + storage + clients + tools

    static func named(_ name: String) -> CommandDeclaration? {
        all.first { $0.name == name }
    }

    /// The command line in the help: `serve [--config FILE]`.
    var usage: String {
        ([name] + arguments.map(\.usage) + flags.map(\.usage)).joined(separator: " ")
    }
}

/// A word of a command line that is not a flag.
struct CommandArgument: Sendable {
    /// Its name in the help.
    let placeholder: String
    let summary: String
    var isRequired = true
    /// True if any number of words may stand here. Only the last argument of a command can be so.
    var isRepeatable = false
    var values = CompletedValues.none

    var usage: String {
        let text = isRepeatable ? placeholder + "…" : placeholder
        return isRequired ? text : "[\(text)]"
    }
}

/// A flag that a command takes.
struct CommandFlag: Sendable {
    let name: String
    /// The name of its value in the help; nil if it has none.
    var placeholder: String?
    let summary: String
    /// True if the command needs it.
    var isRequired = false
    /// True if every occurrence counts, not only the last.
    var isRepeatable = false
    var values = CompletedValues.none

    var usage: String { isRequired ? text : "[\(text)]" + (isRepeatable ? "…" : "") }

    /// `--config FILE`
    var text: String { ([name] + [placeholder].compactMap(\.self)).joined(separator: " ") }
}

/// The values that a shell offers for a flag or an argument.
enum CompletedValues: Sendable, Hashable {
    case none
    case files
    case words([String])
    /// The store kinds that the program hosts.
    case kinds
    /// The names of the commands.
    case commands
}

extension CommandFlag {
    static let config = CommandFlag(
        name: "--config", placeholder: "FILE", summary: "read this file instead of \(Configuration.defaultFile)",
        values: .files)
    static let host = CommandFlag(name: "--host", placeholder: "H", summary: "listen on this address (http.host)")
    static let port = CommandFlag(
        name: "--port", placeholder: "N", summary: "listen on this port (http.port); 0 takes a free one")
    static let set = CommandFlag(
        name: "--set", placeholder: "KEY=VALUE", summary: "set any key, such as limits.actions.rate=10; repeatable",
        isRepeatable: true)
    static let json = CommandFlag(name: "--json", summary: "print JSON, for scripts")
}

extension CommandDeclaration {
    /// The commands that run a server or ask about one.
    static let server = [
        CommandDeclaration(
            name: "serve", group: .server, summary: "serve sessions over HTTP until SIGTERM or SIGINT",
            details: [
                """
                Reads the configuration, listens, and writes 'listening on URL' to standard error when it is ready. \
                Errors in the configuration are reported before that.
                """,
                """
                SIGTERM or SIGINT drains the server within http.drainTimeout: streams are closed, requests under way \
                are answered, and the storage is flushed. A second signal ends it at once.
                """,
            ],
            flags: [.config, .host, .port, .set], success: "a signal ended it, and it has drained",
            failure: "it cannot listen, or the storage cannot be opened",
            examples: [
                "storehouse serve --port 8080", "storehouse serve --set storage.kind=sqlite --set storage.path=app.db",
            ]
        ) { values throws(UsageError) in
            .serve(
                configurationFile: values[.config],
                flags: values.settings([(.host, "http.host"), (.port, "http.port")]) + (try values.assignments()))
        },
        CommandDeclaration(
            name: "check-config", group: .server,
            summary: "print the effective configuration with masked secrets, or its errors",
            details: [
                """
                Prints every key with the value that 'serve' would use, as a JSON file with which a server can be \
                started. Reports all errors at once, one line for each.
                """
            ],
            flags: [.config, .set, .alwaysJSON], success: "the configuration is valid",
            failure: "the files that it names cannot be used",
            examples: ["storehouse check-config --config config/production.json"]
        ) { values throws(UsageError) in
            .checkConfiguration(file: values[.config], flags: try values.assignments())
        },
        CommandDeclaration(
            name: "upstream", group: .server, summary: "serve only the demo animal and auth services",
            details: [
                """
                'serve' has these services inside, unless upstreams.embedded is false. This command runs them as a \
                process of their own, so that a server can call them over the network.
                """
            ],
            flags: [.config, .upstreamPort, .set], success: "a signal ended it", failure: "it cannot listen",
            examples: ["storehouse upstream --port 8081"]
        ) { values throws(UsageError) in
            .upstream(
                port: try values.port(.upstreamPort) ?? Invocation.upstreamPort, configurationFile: values[.config],
                flags: try values.assignments())
        },
        CommandDeclaration(
            name: "healthcheck", group: .server, summary: "exit with 0 if a running server is alive, for HEALTHCHECK",
            details: [
                """
                Asks the server that the configuration describes, or the one of --url. With --ready the server must \
                also be ready for requests: it is not while it starts, drains, or cannot write its storage.
                """
            ],
            flags: [.config, .set, .url, .ready, .json], success: "the server is alive, or ready with --ready",
            failure: "it is not, or it cannot be reached",
            examples: ["storehouse healthcheck --ready", "storehouse healthcheck --url http://127.0.0.1:8080 --json"]
        ) { values throws(UsageError) in
            .healthcheck(
                HealthcheckCommand(
                    configurationFile: values[.config], flags: try values.assignments(), url: values[.url],
                    isReadiness: values.has(.ready), inJSON: values.has(.json)))
        },
    ]

    /// The commands for developers and shells.
    static let tools = [
        CommandDeclaration(
            name: "types", group: .tools, summary: "print the types of a store kind for TypeScript or Swift",
            details: [
                """
                The types are those of the actions that clients may send, made from the schemas that the server \
                checks them with, and that of the state. A name that the language does not allow is changed.
                """,
                "The Swift types are Codable and need no library. The TypeScript types are one module without code.",
            ],
            arguments: [CommandArgument(placeholder: "KIND", summary: "the name of a store kind", values: .kinds)],
            flags: [.typeScript, .swift], failure: "this program has no such kind",
            examples: ["storehouse types --typescript app > app.ts", "storehouse types --swift app > AppActions.swift"]
        ) { values throws(UsageError) in
            let kind = try values.required(0, "KIND")
            switch (values.has(.typeScript), values.has(.swift)) {
            case (true, false): return .types(kind: kind, language: .typeScript)
            case (false, true): return .types(kind: kind, language: .swift)
            default: throw .wrong("choose one of --typescript and --swift")
            }
        },
        CommandDeclaration(
            name: "init", group: .tools, summary: "create a package with a store, a test, a Dockerfile and a README",
            details: [
                """
                Creates the folder NAME with a whole server: 'swift run NAME serve' starts it. A folder that exists \
                and is not empty stays as it is.
                """,
                """
                The package depends on the checkout of --path, else on the one that this program was built from if it \
                is on this machine, else on the published version.
                """,
            ],
            arguments: [
                CommandArgument(
                    placeholder: "NAME", summary: "the name of the package: a letter, then letters, digits, - and _")
            ],
            flags: [.path, .json], success: "the package is created",
            failure: "the folder is not empty or cannot be written",
            examples: ["storehouse init hall && cd hall && swift run hall serve"]
        ) { values throws(UsageError) in
            .initialize(
                try InitCommand(
                    name: try values.required(0, "NAME"), path: values[.path], inJSON: values.has(.json)))
        },
        CommandDeclaration(
            name: "completion", group: .tools, summary: "print a script that completes commands and flags in a shell",
            details: [
                """
                The script knows the commands, their flags, and the store kinds of this program. Print it again after \
                an upgrade.
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
            arguments: [
                CommandArgument(
                    placeholder: "COMMAND", summary: "the command to explain", isRequired: false, values: .commands)
            ],
            examples: ["storehouse help send"]
        ) { values throws(UsageError) in
            guard let name = values.argument(0) else { return .help(command: nil) }
            guard CommandDeclaration.named(name) != nil else { throw Invocation.unknown(name) }
            return .help(command: name)
        },
    ]
}

extension CommandFlag {
    fileprivate static let upstreamPort = CommandFlag(
        name: "--port", placeholder: "N",
        summary: "listen on this port instead of \(Invocation.upstreamPort); 0 takes a free one")
    fileprivate static let url = CommandFlag(
        name: "--url", placeholder: "URL", summary: "ask this server instead of the configured one")
    fileprivate static let ready = CommandFlag(name: "--ready", summary: "ask for readiness instead of liveness")
    fileprivate static let typeScript = CommandFlag(name: "--typescript", summary: "print TypeScript")
    fileprivate static let swift = CommandFlag(name: "--swift", summary: "print Swift")
    fileprivate static let path = CommandFlag(
        name: "--path", placeholder: "DIR", summary: "depend on this checkout of Storehouse",
        values: .files)
    /// For commands that print nothing else.
    static let alwaysJSON = CommandFlag(name: "--json", summary: "accepted, because the output is JSON anyway")
}
