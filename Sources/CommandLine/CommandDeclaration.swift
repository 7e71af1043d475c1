import Observability
import StorehouseServer

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
    let examples: [CommandExample]
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

/// A command line that shows how a command is used.
struct CommandExample: Sendable, ExpressibleByStringLiteral {
    /// The line in the help of a program that hosts the kind.
    let line: @Sendable (SampleKind) -> String

    init(_ line: @escaping @Sendable (SampleKind) -> String) { self.line = line }

    init(stringLiteral line: String) { self.line = { _ in line } }
}

/// The store kind that examples name.
struct SampleKind: Sendable {
    var name = "app"
    /// An action of the kind as arguments of `send`: its type, and the members of its payload.
    var action = "counter/increment by=2"
    /// One for which it is worth waiting.
    var slowAction = "animal/fetchAnimal"
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
    /// For commands that print nothing else.
    static let alwaysJSON = CommandFlag(name: "--json", summary: "accepted, because the output is JSON anyway")
}
