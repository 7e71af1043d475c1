/// The declaration of a command. Parsing, help, manual pages, completion and
/// docs/reference/commands.md follow from it.
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
    /// The text of its help behind the summary, one string for each paragraph.
    var details: [String] = []
    var arguments: [CommandArgument] = []
    var flags: [CommandFlag] = []
    /// The meaning of the exit code 0.
    var success = "it is done"
    /// The meaning of the exit code 1.
    var failure = "it failed; the reason is on standard error"
    /// Command lines that show how it is used.
    let examples: [CommandExample]
    let invocation: @Sendable (FlagValues) throws(UsageError) -> Invocation

    /// Every command, in the order of the help.
    static let all = server + storage + clients + sessions + tools

    static func named(_ name: String) -> CommandDeclaration? {
        all.first { $0.name == name }
    }

    var syntax: CommandSyntax { CommandSyntax(name: name, arguments: arguments, flags: flags) }

    /// The command line in the help: `serve [--config FILE]`.
    var usage: String {
        let words = flags.filter { flag in !arguments.contains { $0.flag?.name == flag.name } }
        return ([name] + arguments.map(\.usage) + words.map(\.usage)).joined(separator: " ")
    }

    /// The summary as a sentence.
    var purpose: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

    var exits: [(code: String, meaning: String)] {
        [("0", success), ("1", failure), ("2", "the command line or the configuration is wrong")]
    }

    /// Each argument and each flag, as it is written, with what it means.
    var words: [(name: String, text: String)] {
        arguments.map { ($0.placeholder, $0.summary) }
            + flags.map { flag in
                let argument = arguments.first { $0.flag?.name == flag.name }
                return (flag.text, argument.map { "stands for the argument \($0.placeholder)" } ?? flag.summary)
            }
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
