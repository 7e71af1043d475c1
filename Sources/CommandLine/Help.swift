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
        let about = """
            \(program) keeps one store per session and serves it over HTTP: clients read its state, send actions that \
            change it, and follow every change as a stream of events.
            """
        let configuration = """
            Configuration: a JSON file, then the environment, then flags; the later wins. Without --config the file is \
            \(Configuration.defaultFile) in the working directory, if it exists. The environment variable of a key is \
            made from its path: http.maxBodyBytes is STOREHOUSE_HTTP_MAX_BODY_BYTES; lists are separated by commas. \
            --set writes values in the same way.
            """
        let words = """
            A flag's value may also be written as --flag=value. '--' ends the flags: what follows are arguments. With \
            NO_COLOR in the environment, no output has colours.
            """
        return
            ([
                wrapped(about), "Usage: \(program) COMMAND [ARGUMENTS] [FLAGS]\n       \(program) COMMAND --help",
            ] + groups + [
                wrapped(configuration), wrapped(words),
                "Exit codes: 0 success, 1 failure, 2 wrong command line or configuration.",
            ])
            .joined(separator: "\n\n")
    }

    /// The help of one command; nil if there is no such command.
    ///
    /// - Parameter kinds: those of the program, for the examples; empty for those of `storehouse`.
    package static func text(of name: String, program: String, kinds: [StoreKind] = []) -> String? {
        CommandDeclaration.named(name).map { text(of: $0, program, SampleKind(of: kinds)) }
    }

    /// The names of all commands.
    package static var commandNames: [String] { CommandDeclaration.all.map(\.name) }

    private static func text(of command: CommandDeclaration, _ program: String, _ kind: SampleKind) -> String {
        let purpose = command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."
        var sections = [
            "Usage: " + wrapped("\(program) \(command.usage)", indent: "       ").dropFirst(7),
            wrapped(purpose),
        ]
        sections += command.details.map { wrapped($0) }
        let words =
            command.arguments.map { ($0.placeholder, $0.summary) } + command.flags.map { ($0.text, $0.summary) }
        if !words.isEmpty { sections.append(rows(words).joined(separator: "\n")) }
        let exits = [
            ("0", command.success), ("1", command.failure), ("2", "the command line or the configuration is wrong"),
        ]
        sections.append((["Exit codes"] + rows(exits)).joined(separator: "\n"))
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
    fileprivate init(of kinds: [StoreKind]) {
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
