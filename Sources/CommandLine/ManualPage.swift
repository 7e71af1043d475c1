package import StoreHosting
import StorehouseServer

/// Manual pages in the language of `man(7)`, made from the declarations of the commands. They have no date, so that the same program
/// has the same pages.
package struct ManualPage {
    private let program: String
    private let kind: SampleKind

    /// - Parameter kinds: those of the program, for the examples; empty for those of `storehouse`.
    package init(program: String, kinds: [StoreKind] = []) {
        self.program = program
        kind = SampleKind(of: kinds)
    }

    /// The page of one command, or of the program with all of them; without the last line break.
    package func text(of command: String?) -> String {
        let lines =
            if let command = command.flatMap(CommandDeclaration.named) {
                page(of: command)
            } else {
                pageOfProgram
            }
        return lines.joined(separator: "\n")
    }

    private var pageOfProgram: [String] {
        let commands = CommandDeclaration.all.map { command -> [String] in
            let parts: [[String]] = [
                [".SS \(Self.argument("\(command.group.rawValue): \(command.name)"))"], synopsis(of: command),
                paragraphs([command.purpose] + command.details), words(of: command), [".PP", "Exit codes:"],
                exitCodes(of: command), examples(of: command),
            ]
            return Array(parts.joined())
        }
        let parts: [[String]] = [
            title(program, "keeps one store per session and serves it over HTTP"),
            [
                ".SH SYNOPSIS", ".B \(Self.escaped(program))", ".I COMMAND", "[\\fIarguments\\fR] [\\fIflags\\fR]",
                ".SH DESCRIPTION",
            ],
            paragraphs([Help.about(program), Help.words]), [".SH COMMANDS"], Array(commands.joined()),
            [".SH CONFIGURATION"], paragraphs([Help.configuration]), [".SH EXIT STATUS"], paragraphs([Help.exitCodes]),
        ]
        return Array(parts.joined())
    }

    private func page(of command: CommandDeclaration) -> [String] {
        let parts: [[String]] = [
            title("\(program)-\(command.name)", command.summary), [".SH SYNOPSIS"], synopsis(of: command),
            [".SH DESCRIPTION"], paragraphs([command.purpose] + command.details),
            command.words.isEmpty ? [] : [".SH OPTIONS"], words(of: command), [".SH EXIT STATUS"],
            exitCodes(of: command), [".SH EXAMPLES"], examples(of: command),
            [".SH SEE ALSO", ".BR \(Self.escaped(program)) (1)"],
        ]
        return Array(parts.joined())
    }

    private func title(_ name: String, _ summary: String) -> [String] {
        let release = Self.argument("\(program) \(StorehouseVersion.current)")
        return [
            ".TH \(Self.argument(name.uppercased())) 1 \"\" \(release) \(Self.argument("\(program) manual"))",
            // Commands and names stand in one piece.
            ".nh", ".ad l", ".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(summary))",
        ]
    }

    private func synopsis(of command: CommandDeclaration) -> [String] {
        [".PP", ".B \(Self.escaped("\(program) \(command.usage)"))"]
    }

    private func words(of command: CommandDeclaration) -> [String] {
        command.words.flatMap { item(".B \(Self.escaped($0.name))", $0.text) }
    }

    private func exitCodes(of command: CommandDeclaration) -> [String] {
        command.exits.flatMap { item($0.code, $0.meaning) }
    }

    private func item(_ name: String, _ text: String) -> [String] { [".TP", name, Self.line(text)] }

    private func examples(of command: CommandDeclaration) -> [String] {
        let lines = command.examples.map { $0.line(kind).replacing("storehouse ", with: program + " ") }
        return [".PP", ".EX"] + lines.map(Self.line) + [".EE"]
    }

    private func paragraphs(_ texts: [String]) -> [String] { texts.flatMap { [".PP", Self.line($0)] } }

    /// A line of text. A dot or a quote at its start would make it a request.
    private static func line(_ text: String) -> String {
        let escaped = escaped(text)
        return escaped.hasPrefix(".") || escaped.hasPrefix("\\(aq") ? "\\&" + escaped : escaped
    }

    /// One argument of a macro.
    private static func argument(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// The text with an escape sequence for each character that would be printed as another one, or not at all.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "…": result += "..."
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default: result += "\\[u\(Self.hexadecimal(scalar))]"
            }
        }
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
