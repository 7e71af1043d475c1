import Foundation
import Testing

/// The code and the names of tests in the articles.
@Suite struct DocumentationTests {
    @Test func everySampleIsPartOfATest() throws {
        let tests = try Article.texts(in: "Tests", ending: "Samples.swift").map(Article.plain)
        let samples = try Article.all.flatMap(\.samples)
        #expect(samples.count > 20)
        for sample in samples {
            let stands = tests.contains { $0.contains(Article.plain(sample)) }
            #expect(stands, "\(sample)")
        }
    }

    @Test func everyNamedTestExists() throws {
        let tests = try Article.texts(in: "Tests", ending: "Tests.swift").map(Article.words)
        let names = try Article.all.flatMap(\.testNames)
        #expect(names.count > 30)
        for (suite, test) in names {
            let isThere = tests.contains { $0.contains(suite) && $0.contains(test) }
            #expect(isThere, "\(suite).\(test)")
        }
    }
}

/// A page of a documentation catalogue.
struct Article {
    let text: String

    static var all: [Article] {
        get throws { try texts(in: "Sources", ending: ".md").map(Article.init) }
    }

    static func texts(in folder: String, ending: String) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: folder)
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path)
        return try files.filter { $0.hasSuffix(ending) }.map {
            String(decoding: try Data(contentsOf: root.appending(path: $0)), as: UTF8.self)
        }
    }

    /// The code without its indentation and empty lines, which differ where it stands within something else.
    static func plain(_ code: String) -> String {
        code.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The names in some code, found by bytes: there is a lot of it.
    static func words(_ code: String) -> Set<String> {
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        return Set(code.utf8.split { !letters.contains($0) }.map { String(Substring($0)) })
    }

    /// The blocks of Swift code.
    var samples: [String] {
        text.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    }

    /// Every `SomeTests.someTest`.
    var testNames: [(suite: String, test: String)] {
        text.matches(of: /`(\w+Tests)\.(\w+)`/).map { (String($0.output.1), String($0.output.2)) }
    }
}
