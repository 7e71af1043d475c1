import JSON
package import StoreHosting
import StorehouseServer

/// The texts of `--help`, without the last line break.
package enum Help {
    private static let width = 100

    /// The list of commands.
    package static func commands(of program: String) -> String {
        let groups = CommandDeclaration.Group.allCases.map { group in
            let commands = CommandDeclaration.all.filter { $0.group == group }
            return ([group.rawValue] + rows(commands.map { ($0.name, $0.summary) })).joined(separator: "\n")
        }
        return
            ([
                wrapped(about(program)),
                "Usage: \(program) COMMAND [ARGUMENTS] [FLAGS]\n       \(program) COMMAND --help",
            ] + groups + [
                wrapped(configuration), wrapped(words), exitCodes,
            ])
            .joined(separator: "\n\n")
    }

    static func about(_ program: String) -> String {
        """
        \(program) keeps one store per session and serves it over HTTP: clients read its state, send actions that change \
        it, and follow every change as a stream of events.
        """
    }

    static let configuration = """
        Configuration: a JSON file, then the environment, then flags; the later wins. Without --config the file is \
        \(Configuration.defaultFile) in the working directory, if it exists. The environment variable of a key is made \
        from its path: http.maxBodyBytes is STOREHOUSE_HTTP_MAX_BODY_BYTES; lists are separated by commas. --set writes \
        values in the same way.
        """

    static let words = """
        A flag's value may also be written as --flag=value. '--' ends the flags: what follows are arguments. With \
        NO_COLOR in the environment, no output has colours.
        """

    static let exitCodes = "Exit codes: 0 success, 1 failure, 2 wrong command line or configuration."

    /// The help of one command; nil if there is no such command.
    ///
    /// - Parameter kinds: those of the program, for the examples; empty for those of `storehouse`.
    package static func text(of name: String, program: String, kinds: [StoreKind] = []) -> String? {
        CommandDeclaration.named(name).map { text(of: $0, program, SampleKind(of: kinds)) }
    }

    /// The names of all commands.
    package static var commandNames: [String] { CommandDeclaration.all.map(\.name) }

    private static func text(of command: CommandDeclaration, _ program: String, _ kind: SampleKind) -> String {
        var sections = [
            "Usage: " + wrapped("\(program) \(command.usage)", indent: "       ").dropFirst(7),
            wrapped(command.purpose),
        ]
        sections += command.details.map { wrapped($0) }
        if !command.words.isEmpty { sections.append(rows(command.words).joined(separator: "\n")) }
        sections.append((["Exit codes"] + rows(command.exits.map { ($0.code, $0.meaning) })).joined(separator: "\n"))
        let examples = command.examples.map { "  " + $0.line(kind).replacing("storehouse ", with: program + " ") }
        sections.append(([examples.count == 1 ? "Example" : "Examples"] + examples).joined(separator: "\n"))
        return sections.joined(separator: "\n\n")
    }

    /// Two columns.
    private static func rows(_ rows: [(name: String, text: String)]) -> [String] {
        let column = (rows.map(\.name.count).max() ?? 0) + 4
        return rows.map { name, text in
            let start = "  " + name + String(repeating: " ", count: column - 2 - name.count)
            return start + wrapped(text, indent: String(repeating: " ", count: column)).dropFirst(column)
        }
    }

    /// The text in lines that are not longer than ``width``, unless one word is.
    private static func wrapped(_ text: String, indent: String = "") -> String {
        var lines: [String] = []
        var line = indent
        for word in text.split(separator: " ") {
            if line.count > indent.count, line.count + 1 + word.count > width {
                lines.append(line)
                line = indent
            }
            line += (line.count > indent.count ? " " : "") + word
        }
        return (lines + [line]).joined(separator: "\n")
    }
}

extension SampleKind {
    /// The first of a program's kinds, with its first action; that of `storehouse` if the program has it, or has no other.
    init(of kinds: [StoreKind]) {
        self.init()
        guard let kind = kinds.first, !kinds.contains(where: { $0.name == name }),
            let action = kind.actions.first(where: { $0.audience != .internal })
        else { return }
        let members = (action.example["payload"]?.asObject ?? [:]).map { name, value in
            let word = value.asString.flatMap {
                $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? $0 : nil
            }
            return word.map { "\(name)=\($0)" } ?? "'\(name):=\(value)'"
        }
        let arguments = ([action.type] + members).joined(separator: " ")
        self.init(name: kind.name, action: arguments, slowAction: arguments)
    }
}
