#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A page of the documentation, in the parts that tests compare.
struct DocumentationPage {
    /// Its path in the project, such as `docs/streams.md`.
    let path: String
    let text: String
    /// Every fenced block of code, in order.
    private(set) var blocks: [Block] = []
    /// The lines outside of blocks.
    private(set) var prose: [Substring] = []

    struct Block {
        /// The words behind the three ticks that open it.
        let info: String
        let code: String
    }

    init(_ path: String) throws {
        self.path = path
        text = try ProjectFile.text(of: path)
        var open: (info: String, code: String)?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            switch (open, line.hasPrefix("```")) {
            case (nil, true): open = (String(line.dropFirst(3)), "")
            case (nil, false): prose.append(line)
            case (let block?, true):
                blocks.append(Block(info: block.info, code: block.code))
                open = nil
            case (_?, false): open?.code += line + "\n"
            }
        }
    }

    /// All pages below docs/, and those at the places where readers and programs expect them.
    static func all() throws -> [DocumentationPage] {
        let pages = try ProjectFile.paths(below: "docs").filter { $0.hasSuffix(".md") }.sorted()
        let others = ["README.md", "CHANGELOG.md", "llms.txt", ".github/CONTRIBUTING.md", ".github/SECURITY.md"]
        return try (others + pages).map(DocumentationPage.init)
    }

    /// The code between single ticks.
    var spans: [String] {
        prose.flatMap { line in
            let parts = line.split(separator: "`", omittingEmptySubsequences: false)
            return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
        }
    }

    /// The targets of all links and images.
    var links: [String] {
        prose.flatMap { line in
            line.split(separator: "](", omittingEmptySubsequences: false).dropFirst()
                .map { String($0.prefix { $0 != ")" }) }
        }
    }

    /// The anchors of all headings, as GitHub makes them.
    var anchors: Set<String> {
        var anchors: Set<String> = []
        for line in prose where line.hasPrefix("#") {
            let title = line.drop { $0 == "#" }.dropFirst().lowercased()
            let letters = title.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
            let anchor = letters.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "-")
            var unique = anchor
            var count = 0
            while !anchors.insert(unique).inserted {
                count += 1
                unique = "\(anchor)-\(count)"
            }
        }
        return anchors
    }

    /// The cells of each row of the tables whose first line is this one.
    func rows(below header: String) -> [[String]] {
        guard let start = prose.firstIndex(where: { $0 == header }) else { return [] }
        return prose[start...].prefix { $0.hasPrefix("|") }.dropFirst(2).map { row in
            row.dropFirst().split(separator: "|", omittingEmptySubsequences: false).dropLast()
                .map { $0.split(separator: " ").joined(separator: " ") }
        }
    }
}

extension ProjectFile {
    /// The paths of all files below a folder, from the project's root.
    static func paths(below folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url(of: folder).path).map { folder + "/" + $0 }
    }

    /// The path of what a page at `page` calls `relative`.
    static func path(of relative: String, from page: String) -> String {
        var parts = page.split(separator: "/").dropLast()
        for part in relative.split(separator: "/") {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}
