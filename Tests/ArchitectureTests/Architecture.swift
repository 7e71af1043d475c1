/// The findings of the rules in `Sources`.
struct Architecture {
    let files: [SourceFile]
    /// The names in the code of a file that another file of its target declares, by the paths of both files.
    let references: [String: [String: Set<String>]]
    /// The circles between the folders of a target. Each is a list of paths.
    let folderCircles: [[String]]
    /// The circles between the files of a target.
    let fileCircles: [[String]]

    /// The most files of a circle inside a folder.
    static let maxFilesOfCircle = 8
    /// The most lines of a function.
    static let maxLinesOfFunction = 50

    init(files: [SourceFile]) {
        self.files = files
        references = Self.references(between: files)
        fileCircles = Circles.all(in: references.mapValues { Set($0.keys) })
        let folders = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.folder) })
        var edges: [String: Set<String>] = [:]
        for (path, others) in references {
            guard let folder = folders[path] else { continue }
            edges[folder, default: []].formUnion(others.keys.compactMap { folders[$0] }.filter { $0 != folder })
        }
        folderCircles = Circles.all(in: edges)
    }

    /// A file points to another file of its target if its code names something that only the other one declares.
    private static func references(between files: [SourceFile]) -> [String: [String: Set<String>]] {
        var references: [String: [String: Set<String>]] = [:]
        for files in Dictionary(grouping: files, by: \.target).values {
            let owners = Dictionary(
                files.flatMap { file in file.declared.map { ($0, [file.path]) } }, uniquingKeysWith: +
            ).filter { $0.value.count == 1 }
            for file in files {
                references[file.path] = [:]
                for name in file.named {
                    guard let owner = owners[name]?.first, owner != file.path else { continue }
                    references[file.path]?[owner, default: []].insert(name)
                }
            }
        }
        return references
    }

    /// The names that files of one folder use of files of another, one line for each pair of files.
    func references(from folder: String, to other: String) -> [String] {
        references.sorted { $0.key < $1.key }.flatMap { path, others in
            others.sorted { $0.key < $1.key }.filter {
                Self.folder(of: path) == folder && Self.folder(of: $0.key) == other
            }
            .map { "\(path) names \($0.value.sorted().joined(separator: ", ")) of \($0.key)" }
        }
    }

    private static func folder(of path: String) -> String {
        path.split(separator: "/").dropLast().joined(separator: "/")
    }

    /// The exceptions that `Sources` needs now.
    var exceptions: ArchitectureExceptions {
        var exceptions = ArchitectureExceptions()
        exceptions[.folderCircles] = Set(folderCircles.map { $0.joined(separator: " ") })
        exceptions[.fileCircles] = Set(
            fileCircles.filter { $0.count > Self.maxFilesOfCircle }.map { $0.joined(separator: " ") })
        exceptions[.longFunctions] = Set(
            files.flatMap { file in
                SourceFunction.all(in: file.tokens).filter { $0.lineCount > Self.maxLinesOfFunction }
                    .map { "\(file.path) \($0.name)" }
            })
        for concern in Concern.allCases { exceptions[.concern(concern)] = Set(outsiders(of: concern)) }
        return exceptions
    }

    /// The files outside the home of a concern that name it.
    private func outsiders(of concern: Concern) -> [String] {
        files.filter { file in
            concern.targets.contains(file.target) && !concern.homes.contains { file.path.contains($0) }
                && concern.isNamed(in: file)
        }.map(\.path)
    }

    /// The figures that the rules keep small.
    var figures: [String] {
        let largest = fileCircles.first ?? []
        let interface = PublicInterface(files: files)
        let lines = files.filter { largest.contains($0.path) }.reduce(0) { $0 + $1.lineCount }
        return [
            "circles between folders: \(folderCircles.count)",
            "largest circle between files: \(largest.count) files, \(lines) lines",
            "functions of more than \(Self.maxLinesOfFunction) lines: \(exceptions[.longFunctions].count)",
            "public declarations: \(interface.count)",
            "names that import Storehouse brings: \(interface.names.count)",
        ]
            + Concern.allCases.map { "files that name \($0.title) outside its home: \(outsiders(of: $0).count)" }
    }
}
