import Foundation

/// Which breaks of the rules are still allowed, as `exceptions.txt` lists them: sections of lines.
struct ArchitectureExceptions: Equatable {
    enum Section: Hashable {
        case folderCircles, fileCircles, longFunctions
        case concern(Concern)

        static let all: [Section] =
            [.folderCircles, .fileCircles, .longFunctions] + Concern.allCases.map(Section.concern)

        var title: String {
            switch self {
            case .folderCircles: "circles between folders"
            case .fileCircles: "circles of more than \(Architecture.maxFilesOfCircle) files"
            case .longFunctions: "functions of more than \(Architecture.maxLinesOfFunction) lines"
            case .concern(let concern): "files that name \(concern.title)"
            }
        }
    }

    static var url: URL { SourceFile.projectURL(of: "Tests/ArchitectureTests/exceptions.txt") }

    private var lines: [Section: Set<String>] = [:]

    subscript(section: Section) -> Set<String> {
        get { lines[section] ?? [] }
        set { lines[section] = newValue.isEmpty ? nil : newValue }
    }

    init() {}

    /// Reads the text of `exceptions.txt`: a section begins with its title in brackets, and a line that begins with a space continues the
    /// one before.
    init(_ text: String) throws {
        var section: Section?
        let lines = text.replacing("\n ", with: "").split(separator: "\n")
        for line in lines where !line.hasPrefix("#") {
            if line.hasPrefix("[") {
                section = Section.all.first { "[\($0.title)]" == line }
                guard section != nil else { throw UnknownSection(title: String(line)) }
            } else if let section {
                self[section].insert(String(line))
            }
        }
    }

    struct UnknownSection: Error {
        let title: String
    }

    /// The text of `exceptions.txt`.
    var text: String {
        let comment = """
            # What the rules of the architecture still allow. The lists may only shrink: a line that is needed no more must go.
            # 'script/architecture' prints the figures, and 'script/architecture --allow' writes this file anew.


            """
        return comment
            + Section.all.filter { !self[$0].isEmpty }.map { section in
                "[\(section.title)]\n" + self[section].sorted().map { Self.wrapped($0) + "\n" }.joined()
            }.joined(separator: "\n")
    }

    private static func wrapped(_ line: String) -> String {
        var length = 0
        return line.split(separator: " ").reduce(into: "") { text, word in
            let separator = text.isEmpty ? "" : length + word.count > 110 ? "\n  " : " "
            length = separator.hasPrefix("\n") ? word.count : length + word.count + 1
            text += separator + word
        }
    }

    /// Tells what is wrong with this list, if those are the exceptions that `Sources` needs.
    func faults(for needed: ArchitectureExceptions) -> [String] {
        Section.all.flatMap { section in
            let tooMuch = needed[section].subtracting(self[section]).sorted().map { line in
                let isPart = self[section].contains {
                    Set(line.split(separator: " ")).isSubset(of: $0.split(separator: " "))
                }
                return isPart ? "has become smaller, so list this: \(line)" : "not allowed: \(line)"
            }
            let gone = self[section].subtracting(needed[section]).sorted().map { "needed no more, so delete it: \($0)" }
            return (tooMuch + gone).map { "[\(section.title)] \($0)" }
        }
    }
}
