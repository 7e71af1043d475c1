import Testing

/// docs/internals.md tells the truth about the sources.
@Suite struct InternalsPageTests {
    private let page: DocumentationPage

    init() throws { page = try DocumentationPage("docs/internals.md") }

    @Test func everyTypeInADrawingIsDeclared() throws {
        let drawings = page.blocks.filter { $0.info == "text drawing" }.map(\.code)
        let names = Set(drawings.flatMap { $0.split { !$0.isLetter } }.filter { $0.first?.isUppercase == true })
        var declared: Set<Substring> = []
        for path in try ProjectFile.paths(below: "Sources") where path.hasSuffix(".swift") {
            for line in try ProjectFile.text(of: path).split(separator: "\n") {
                let words = line.split { !$0.isLetter }
                guard let place = words.firstIndex(where: { Self.keywords.contains($0) }) else { continue }
                declared.formUnion(words[place...].dropFirst().prefix(1))
            }
        }
        #expect(names.count > 10)
        for name in names.sorted() {
            let isDeclared = declared.contains(name)
            #expect(isDeclared, "the drawing in docs/internals.md names \(name), which no file in Sources declares")
        }
    }

    private static let keywords: Set<Substring> = ["struct", "class", "enum", "protocol", "actor"]

    @Test func theTableOfModulesIsThatOfThePackage() throws {
        let rows = page.rows(below: "| module | holds | imports |")
        let folders = try Set(ProjectFile.paths(below: "Sources").map { $0.split(separator: "/")[1] })
        let modules = rows.map { $0[0].split { $0 == "`" || $0 == "/" }.last ?? "" }
        for folder in folders.subtracting(modules).sorted() {
            Issue.record("docs/internals.md has no row for Sources/\(folder)")
        }
        let manifest = try ProjectFile.text(of: "Package.swift")
        for (row, module) in zip(rows, modules) {
            let imports = try #require(
                Self.dependencies(of: module, in: manifest), "Package.swift has no target \(module)")
            let right = imports.map { "`\($0)`" }.joined(separator: ", ")
            #expect(row[2] == right, "docs/internals.md: the imports of \(module) are \(right)")
        }
    }

    /// The dependencies of a target in the text of Package.swift; nil if there is no such target.
    private static func dependencies(of target: some StringProtocol, in manifest: String) -> [Substring]? {
        let declarations = manifest.split(separator: "arget(").dropFirst().filter { declaration in
            declaration.split(separator: "\"").prefix(2).last.map { $0 == target } == true
        }
        guard let declaration = declarations.first else { return nil }
        let parts = declaration.split(separator: "dependencies: [", maxSplits: 1)
        guard parts.count == 2 else { return [] }
        let names = parts[1].prefix { $0 != "]" }.split(separator: "\"", omittingEmptySubsequences: false)
        return stride(from: 1, to: names.count, by: 2).map { names[$0] }
    }
}
