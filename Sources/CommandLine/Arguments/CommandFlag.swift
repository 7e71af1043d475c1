import StorehouseServer

/// The words that a command takes.
struct CommandSyntax: Sendable {
    let name: String
    let arguments: [CommandArgument]
    let flags: [CommandFlag]
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
    /// The flag that may stand for it.
    var flag: CommandFlag?

    /// An argument that a flag may stand for. Its name and its values are those of the flag, unless others are given.
    static func orFlag(
        _ flag: CommandFlag, _ placeholder: String? = nil, isRequired: Bool = true
    ) -> CommandArgument {
        CommandArgument(
            placeholder: placeholder ?? flag.placeholder ?? "", summary: flag.summary, isRequired: isRequired,
            values: flag.values, flag: flag)
    }

    /// The values that a shell offers. The name TYPE means the same in all commands.
    var completed: CompletedValues { values == .none && placeholder == "TYPE" ? .actions : values }

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
    /// The types of the actions that clients may send to them.
    case actions
    /// `KEY=VALUE` with the keys of the configuration.
    case settings
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
        isRepeatable: true, values: .settings)
    static let json = CommandFlag(name: "--json", summary: "print JSON, for scripts")
    /// For commands that print nothing else.
    static let alwaysJSON = CommandFlag(name: "--json", summary: "accepted, because the output is JSON anyway")
}
