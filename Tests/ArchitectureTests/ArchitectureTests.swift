import Foundation
import Testing

@Suite("The architecture") struct ArchitectureTests {
    @Test("breaks no rule but as exceptions.txt allows it, which allows nothing that is needed no more")
    func rules() throws {
        let architecture = Architecture(files: try SourceFile.all())
        #expect(architecture.files.count > 300)
        for home in Concern.allCases.flatMap(\.homes) {
            #expect(architecture.files.contains { $0.path.contains(home) }, "no file is in \(home)")
        }
        for figure in architecture.figures { print(figure) }
        let text = try String(contentsOf: ArchitectureExceptions.url, encoding: .utf8)
        for fault in try ArchitectureExceptions(text).faults(for: architecture.exceptions) { Issue.record("\(fault)") }
    }

    @Test("has few public declarations, and import Storehouse brings few names, each in the documentation")
    func publicInterface() throws {
        let interface = PublicInterface(files: try SourceFile.all())
        #expect(interface.count <= PublicInterface.maxCount)
        #expect(interface.names.count <= PublicInterface.maxNames)
        let documented = try DocumentedNames.read()
        #expect(interface.names.subtracting(documented.keys).sorted() == [], "public-names.txt has no page of these")
        #expect(Set(documented.keys).subtracting(interface.names).sorted() == [], "public-names.txt has too much")
        for (page, names) in Dictionary(grouping: documented, by: \.value) {
            let text = try String(contentsOf: SourceFile.projectURL(of: page), encoding: .utf8)
            let words = Set(text.split { !$0.isLetter && !$0.isNumber }.map(String.init))
            #expect(names.map(\.key).filter { !words.contains($0) } == [], "\(page) does not name these")
        }
    }

    @Test("counts public declarations, and follows what a module exports")
    func exports() {
        let files = [
            SourceFile(
                path: "Storehouse/a.swift",
                source: "public import C\n@_exported public import B\npublic struct A { public init() {} }"),
            SourceFile(
                path: "B/b.swift",
                source: """
                    @_exported public import struct C.Picked
                    extension A { @available(*, unavailable, message: "no") public func a() {} }
                    extension A { public func b() {} }
                    struct Inner {}
                    """),
            SourceFile(path: "C/c.swift", source: "public final class Left {}\npublic struct Picked {}"),
        ]
        let interface = PublicInterface(files: files)
        #expect(interface.count == 5)
        #expect(interface.names == ["A", "Picked"])
    }

    @Test("finds circles between folders, and those of too many files")
    func circles() {
        let files = (0..<9).map { number in
            SourceFile(
                path: "Server/A/\(number).swift", source: "struct A\(number) { var next: A\((number + 1) % 9)? }")
        }
        let circle = Architecture(files: files)
        #expect(circle.exceptions[.folderCircles] == [])
        #expect(circle.exceptions[.fileCircles] == [files.map(\.path).joined(separator: " ")])

        let shorter = Architecture(files: files.dropLast())
        #expect(shorter.exceptions == ArchitectureExceptions() && shorter.fileCircles == [])

        let other = SourceFile(path: "Server/B/b.swift", source: "func b() { A8.run() }")
        let back = SourceFile(path: "Server/A/8.swift", source: "enum A8 { static func run() { b() } }")
        let folders = Architecture(files: files.dropLast() + [other, back])
        #expect(folders.exceptions[.folderCircles] == ["Server/A Server/B"])
        #expect(
            folders.references(from: "Server/B", to: "Server/A") == ["Server/B/b.swift names A8 of Server/A/8.swift"])
    }

    @Test("does not mistake a name for another file's if that is private, in another target, a member or in two files")
    func otherNames() {
        let user = SourceFile(path: "Server/A/a.swift", source: "struct A { let b: B; func run() { b.run(C()) } }")
        for (path, source) in [
            ("Server/B/b.swift", "private struct B { let a: A }"), ("Client/B/b.swift", "struct B { let a: A }"),
            ("Server/B/b.swift", "func run(_ a: A) {}"), ("Server/B/b.swift", "extension A { struct B { var a: A } }"),
        ] {
            #expect(Architecture(files: [user, SourceFile(path: path, source: source)]).folderCircles == [])
        }
        let two = ["Server/B/b.swift", "Server/C/c.swift"].map { SourceFile(path: $0, source: "struct B { let a: A }") }
        #expect(Architecture(files: [user] + two).folderCircles == [])
        #expect(Architecture(files: [user, two[0]]).folderCircles == [["Server/A", "Server/B"]])
    }

    @Test(
        "finds the names of concerns",
        arguments: [
            (
                Concern.shares, ["share", "Share", "shareID", "ShareResource", "isByShare", "noSuchShare"],
                ["isShared", "SharedTime"]
            ),
            (
                .nodes, ["isForwarded", "forwarder", "PeerStream", "isNode", "hasSilentNodes"],
                ["peer", "forward", "owner"]
            ),
            (
                .largeStates, ["isLarge", "wasLarge", "WorkPool", "outgrown", "readLargeState"],
                ["large", "stateTooLarge"]
            ),
            (.durability, ["isDurable", "whenDurable", "respondDurably"], ["durable", "duration"]),
        ])
    func concerns(concern: Concern, words: [String], others: [String]) {
        for word in words { #expect(concern.isNamed(by: word, isCalled: false), "\(word)") }
        for word in others { #expect(!concern.isNamed(by: word, isCalled: false), "\(word)") }
        #expect(Concern.durability.isNamed(by: "durable", isCalled: true))
    }

    @Test("counts a concern in code, and neither in comments nor in texts")
    func namedConcerns() {
        let file = SourceFile(path: "StorehouseServer/A/a.swift", source: "let a = \"a share\" // isByShare\n")
        #expect(Architecture(files: [file]).exceptions == ArchitectureExceptions())
        let other = SourceFile(path: "StorehouseServer/A/a.swift", source: "let a = \"\\(share)\"")
        #expect(Architecture(files: [other]).exceptions[.concern(.shares)] == ["StorehouseServer/A/a.swift"])
        let atHome = SourceFile(path: "StorehouseServer/Cluster/a.swift", source: "let forwarder = 1")
        #expect(Architecture(files: [atHome]).exceptions == ArchitectureExceptions())
    }

    @Test("tells a new break of a rule, a smaller circle, and an exception that is needed no more")
    func faults() throws {
        var needed = ArchitectureExceptions()
        needed[.folderCircles] = ["A B", "C D"]
        needed[.longFunctions] = ["a.swift run"]
        var allowed = ArchitectureExceptions()
        allowed[.folderCircles] = ["A B", "C D E"]
        allowed[.concern(.nodes)] = ["b.swift"]
        #expect(
            allowed.faults(for: needed) == [
                "[circles between folders] has become smaller, so list this: C D",
                "[circles between folders] needed no more, so delete it: C D E",
                "[functions of more than 50 lines] not allowed: a.swift run",
                "[files that name several nodes] needed no more, so delete it: b.swift",
            ])
        #expect(needed.faults(for: needed) == [])
        #expect(try ArchitectureExceptions(allowed.text) == allowed)
        #expect(throws: ArchitectureExceptions.UnknownSection.self) { try ArchitectureExceptions("[others]\na") }
    }
}
