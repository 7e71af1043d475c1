import StoreHosting
import Testing

@Suite struct SimilarWordsTests {
    private static let commands = ["serve", "check-config", "sessions", "send", "export", "import"]
    private static let keys = [
        "http.host", "http.port", "metrics.port", "storage.key", "storage.kind", "storage.redis.url",
    ]
    private static let types = ["note/write", "note/sign", "clear", "list/clear"]

    @Test(arguments: [
        // A typo: a letter more, less, another one, or two in the wrong order.
        ("serves", ["serve"]), ("srve", ["serve"]), ("sarve", ["serve"]), ("sevre", ["serve"]), ("SERVE", ["serve"]),
        // The begin of a word.
        ("check", ["check-config"]), ("se", ["send", "serve", "sessions"]), ("exp", ["export"]),
        // Two words are as near.
        ("mport", ["import", "export"]), ("emport", ["export", "import"]),
        // Far from all.
        ("start", []), ("delete", []), ("x", []), ("", []), ("a\nb", []), ("config", []),
    ])
    func aWordIsSimilar(word: String, similar: [String]) {
        #expect(Self.commands.similar(to: word) == similar)
    }

    @Test(arguments: [
        ("http.prot", "http.port"), ("htpp.port", "http.port"), ("port", "http.port"), ("prot", "http.port"),
        ("cluster.port", "http.port"), ("storage.kimd", "storage.kind"), ("redis.url", "storage.redis.url"),
        ("storage.redis.urls", "storage.redis.url"), ("storage.redisurl", "storage.redis.url"),
    ])
    func aWordOfPartsIsSimilar(word: String, first: String) {
        #expect(Self.keys.similar(to: word).first == first)
    }

    @Test(arguments: ["storage.foo", "http.x", "foo.bar", "http", ".", "storage.redis.foo", "limits.actions.rate"])
    func aWordOfPartsIsFarFromAll(word: String) {
        // The begin of a path names its section.
        #expect(Self.keys.similar(to: word).filter { !$0.hasPrefix(word) } == [])
    }

    @Test(arguments: [
        ("note/wrte", ["note/write"]), ("write", ["note/write"]), ("note/clear", ["clear", "list/clear"]),
        ("clera", ["clear", "list/clear"]), ("note/w", ["note/write"]), ("counter/increment", []),
    ])
    func typesOfActionsAreSimilar(word: String, similar: [String]) {
        #expect(Self.types.similar(to: word) == similar)
    }

    @Test(arguments: [
        ("slect", "select", true), ("selects", "select", true), ("Select", "select", true), ("selcet", "select", true),
        ("sel", "select", false), ("utm_source", "select", false), ("_", "by", false), ("bx", "by", false),
    ])
    func aTypoIsToldFromAnotherWord(word: String, of known: String, isTypo: Bool) {
        #expect(word.isLikelyTypo(of: known) == isTypo)
    }

    /// A client may send a word of any length.
    @Test func aLongWordIsFarFromAll() {
        #expect(Self.commands.similar(to: String(repeating: "serve", count: 100_000)) == [])
    }
}
