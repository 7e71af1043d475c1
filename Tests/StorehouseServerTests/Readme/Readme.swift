/// The page that newcomers read, in the parts that tests compare.
struct Readme {
    let text: String

    init() throws { text = try ProjectFile.text(of: "README.md") }

    /// A block of code, and what is said of it behind the three ticks that open it.
    struct Block {
        let info: String
        let code: String
    }

    /// Every block of code, in order.
    var blocks: [Block] {
        let parts = text.split(separator: "```", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { index in
            let lines = parts[index].split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            return Block(info: String(lines[0]), code: lines.count > 1 ? String(lines[1]) : "")
        }
    }

    /// What stands between single ticks outside of blocks.
    var words: [String] {
        let prose = text.split(separator: "```", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
        let parts = prose.split(separator: "`", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
    }

    /// The cells of each row that begins with a number, such as the status of a problem.
    var rowsByNumber: [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { row in row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") } }
            .filter { cells in cells.first.flatMap { Int($0) } != nil }
    }
}
