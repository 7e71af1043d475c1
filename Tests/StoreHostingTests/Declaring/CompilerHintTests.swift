import Foundation
import ProcessTesting
import Testing

/// Frequent mistakes in a definition, which the compiler explains: see `CompilerHints.swift`.
@Suite struct CompilerHintTests {
    private static let start = """
        import StoreHosting
        struct Plain: Sendable { var count = 1 }
        struct Hall: Sendable { var guests: [String] = []; var plain = Plain() }
        let a = Field<String>.text("a", 1...9, example: "a")
        let b = Field<Int>.integer("b", 1...9)
        let one = Action<Plain, String>("one", "One.", a) { _, _ in }
        let two = Action<Plain, (String, Int)>("two", "Two.", a, b) { _, _, _ in }
        let three = Action<Hall, (String, Int, Int)>("three", "Three.", a, b, b) { _, _, _, _ in }

        """

    /// A rule of an action with so many fields, as a line of a program.
    private static func action(_ fields: Int, _ rule: String) -> String {
        let types = ["Void", "String", "(String, Int)", "(String, Int, Int)"][fields]
        let values = [[], ["a"], ["a", "b"], ["a", "b", "b"]][fields].map { $0 + ", " }.joined()
        let names = ["hall", "_", "_", "_"].prefix(fields + 1).joined(separator: ", ")
        return #"_ = Action<Hall, \#(types)>("book", "Books.", \#(values)rules: \#(rule)) { \#(names) in }"#
    }

    private static let stateAndEach = "the closure gets the state and a value for each field: { state,"

    /// Lines with a mistake, and parts of the messages.
    private static let mistakes: [(line: String, message: String)] = [
        (action(1, #".reject("full") { $0.guests.isEmpty }"#), stateAndEach + " value in … }"),
        (action(1, ".ignore { $0.guests.isEmpty }"), stateAndEach + " value in … }"),
        (action(0, #".reject("full") { hall, a in hall.guests.isEmpty }"#), "only the state: { state in … }"),
        (action(0, ".ignore { hall, a in hall.guests.isEmpty }"), "only the state: { state in … }"),
        (
            action(1, #".reject("full") { hall, a, b in hall.guests.isEmpty }"#),
            "the value of the field: { state, value in … }"
        ),
        (action(1, ".ignore { hall, a, b in hall.guests.isEmpty }"), "the value of the field: { state, value in … }"),
        (action(2, #".reject("full") { hall, a in hall.guests.isEmpty }"#), stateAndEach + " a, b in … }"),
        (action(2, ".ignore { hall, a in hall.guests.isEmpty }"), stateAndEach + " a, b in … }"),
        (action(2, #".reject("full") { hall, a, b, c in a == "" }"#), stateAndEach + " a, b in … }"),
        (action(2, ".ignore { hall, a, b, c in hall.guests.isEmpty }"), stateAndEach + " a, b in … }"),
        (action(3, #".reject("full") { hall, a in hall.guests.isEmpty }"#), stateAndEach + " a, b, c in … }"),
        (action(3, ".ignore { hall, a in hall.guests.isEmpty }"), stateAndEach + " a, b, c in … }"),
        (action(3, #".reject("full") { hall, a, b in hall.guests.isEmpty }"#), stateAndEach + " a, b, c in … }"),
        (action(3, ".ignore { hall, a, b in hall.guests.isEmpty }"), stateAndEach + " a, b, c in … }"),
        (
            #"_ = Action<Hall, (String, String, String, String, String)>("book", "Books.", a, a, a, a, a) { _, _, _, _, _, _ in }"#,
            "an action has up to four fields; put more values into one .value of a Codable type"
        ),
        (
            #"_ = Follow(Part("plain", \Hall.plain) {}, one) { hall in }"#,
            "the value of the field: { state, value in … }"
        ),
        (#"_ = Follow(Part("plain", \Hall.plain) {}, two) { hall in }"#, stateAndEach + " a, b in … }"),
        (#"_ = Follow(three) { hall in }"#, stateAndEach + " a, b in … }"),
        (#"_ = Member<Hall, Plain>("plain", \.plain)"#, "the value of a member must be Codable"),
        (#"_ = Selector<Hall>("plain", "It.") { $0.plain }"#, "the value of a selector must be Codable"),
        (
            #"_ = RemoteRequest.post("/orders", ["a": 1])"#,
            #"a label and follows the body: .post([…], target: "/path")"#
        ),
        (#"_ = RemoteRequest.post(["a": 1], "/orders")"#, #"the place has a label: .post([…], target: "/path")"#),
        (#"_ = RemoteRequest.post("/orders")"#, #"this text is the body; a place has a label"#),
    ]

    private static var products: URL? {
        #if canImport(Darwin)
            return Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
                .deletingLastPathComponent()
        #else
            return Bundle.main.executableURL?.deletingLastPathComponent()
        #endif
    }

    /// The modules that were built with the tests, and the cache of the compiler; nil if there are none, or no compiler.
    private static var modules: (folder: URL, ofC: URL, cache: URL)? {
        guard let products, Tool("swiftc") != nil else { return nil }
        let folder = products.appending(path: "Modules")
        let ofC = products.appending(path: "CPortable.build/module.modulemap")
        let paths = [folder.appending(path: "StoreHosting.swiftmodule").path, ofC.path]
        guard paths.allSatisfy(FileManager.default.fileExists(atPath:)) else { return nil }
        return (folder, ofC, products.appending(path: "ModuleCache"))
    }

    private func compile(_ program: String) async throws -> ProgramResult {
        let (swiftc, modules) = (try #require(Tool("swiftc")), try #require(Self.modules))
        let folder = try TemporaryFolder()
        let file = try folder.write(program, to: "main.swift")
        return try await swiftc.run([
            "-typecheck", "-swift-version", "6", "-I", modules.folder.path, "-Xcc",
            "-fmodule-map-file=\(modules.ofC.path)", "-module-cache-path", modules.cache.path, file,
        ])
    }

    @Test(.enabled(if: modules != nil)) func theCompilerSaysWhatIsWrong() async throws {
        let result = try await compile(Self.start + Self.mistakes.map(\.line).joined(separator: "\n"))
        #expect(result.status != 0)
        let first = Self.start.split(separator: "\n", omittingEmptySubsequences: false).count
        let lines = result.errors.split(separator: "\n").filter { $0.contains("main.swift:") }
        for (index, mistake) in Self.mistakes.enumerated() {
            let told = lines.filter { $0.contains("main.swift:\(first + index):") }
            #expect(told.count == 1 && told.allSatisfy { $0.contains(mistake.message) }, "\(mistake.line): \(told)")
        }
        #expect(lines.count == Self.mistakes.count)
    }

    @Test(.enabled(if: modules != nil)) func rightDefinitionsCompile() async throws {
        let lines = [
            Self.action(0, #".reject("full") { hall in hall.guests.isEmpty }"#),
            Self.action(2, ".ignore { hall, a, b in hall.guests.count == b }"),
            Self.action(3, #".reject("full") { _, a, b, c in a == "" && b == c }"#),
            #"_ = RemoteRequest.post(["a": 1], target: "/orders")"#,
        ]
        let result = try await compile(Self.start + lines.joined(separator: "\n"))
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    }
}
