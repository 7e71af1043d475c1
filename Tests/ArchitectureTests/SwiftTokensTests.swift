import Testing

@Suite("Tokens of Swift") struct SwiftTokensTests {
    private static func texts(_ source: String) -> [String] { SwiftTokens.all(of: Array(source.utf8)).map(\.text) }

    @Test("hold neither comments nor texts, but the code in texts")
    func code() {
        #expect(Self.texts("a // b\n/* c /* d */ e */ f") == ["a", "f"])
        #expect(Self.texts(#"a("b // \"c", d)"#) == ["a", "(", ",", "d", ")"])
        #expect(Self.texts(#""a \(b("c \(d)")) e" + f"#) == ["b", "(", "d", ")", "+", "f"])
        #expect(Self.texts(##"#"a " \(b) \#(c)"# d"##) == ["c", "d"])
        #expect(Self.texts("\"\"\"\n  a \"b\" \\(c)\n  \"\"\".d") == ["c", ".", "d"])
        #expect(Self.texts(#"#if os(Linux) "\\" + `case`"#) == ["#", "if", "os", "(", "Linux", ")", "+", "case"])
    }

    @Test("know their lines")
    func lines() {
        let source = "/* a\n*/ b \"\"\"\n  \\(c)\n  \\\n  \"\"\"\nd"
        #expect(SwiftTokens.all(of: Array(source.utf8)).map(\.line) == [2, 3, 6])
    }

    private static func functions(_ source: String) -> [SourceFunction] {
        SourceFunction.all(in: SwiftTokens.all(of: Array(source.utf8)))
    }

    @Test("give the length of each function")
    func functions() {
        let source = """
            struct A {
                var a: Int
                var b: [Int] = { 1 }
                var c: Int {
                    1
                }
                init() { self.init(1) }
                func run<T>(
                    _ body: () -> T = { 1 }
                ) throws(E) -> [T] where T: B {
                    func inner() {}
                    if true {}
                }
            }
            protocol P {
                func run() async throws -> Int
                var d: Int { get }
            }
            """
        #expect(
            Self.functions(source) == [
                SourceFunction(name: "c", lineCount: 3), SourceFunction(name: "init", lineCount: 1),
                SourceFunction(name: "run", lineCount: 6), SourceFunction(name: "inner", lineCount: 1),
                SourceFunction(name: "d", lineCount: 1),
            ])
    }
}
