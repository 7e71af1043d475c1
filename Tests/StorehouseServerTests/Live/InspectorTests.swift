import JSON
import StorehouseServer
import Stores
import Testing

/// The page at `/`, which only browsers get. What it does is tried in a browser, by `script/streams-test`.
@Suite struct InspectorTests {
    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
    private static let html = "text/html; charset=utf-8"
    private static let json = "application/json"

    @Test(arguments: [
        (browser, html), ("text/html", html), ("TEXT/HTML; charset=UTF-8", html), ("text/*", html),
        ("application/json;q=0.5, text/html;q=0.6", html), ("application/json;q=0, */*", html),
        ("*/*", json), ("", json), ("application/json", json), ("application/*", json), ("text/html;q=0, */*", json),
        ("application/json, text/plain, */*", json), ("application/json;q=0.6, text/html;q=0.5", json),
        ("application/json, text/html", json), ("nonsense", json),
    ])
    func whoPrefersHTMLGetsThePage(_ accept: String, _ type: String) async throws {
        try await LiveServer.run { server in
            let fields = [("Accept", accept)]
            let get = try await server.get("/", fields)
            #expect(get.status == 200)
            #expect(get["content-type"] == type)
            #expect(get["vary"] == "Accept")
            let head = try await server.send(TestRequest("HEAD", "/", fields))
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.fields.map(\.name) == get.fields.map(\.name))
            for name in get.fields.map(\.name) where name != "date" { #expect(head[name] == get[name]) }
        }
    }

    @Test func withoutAcceptThereAreLinks() async throws {
        try await LiveServer.run { server in
            let response = try await server.get("/")
            #expect(response["content-type"] == Self.json)
            #expect(response["vary"] == "Accept")
            #expect(response.at("/links/inspector") == "/")
        }
    }

    @Test(arguments: ["image/png", "application/json;q=0, text/html;q=0", "application/xhtml+xml"])
    func whoTakesNeitherIsRefused(_ accept: String) async throws {
        try await LiveServer.run { server in
            let response = try await server.get("/", [("Accept", accept)])
            #expect(response.code == "not-acceptable")
        }
    }

    @Test func severalAcceptLinesAreOne() async throws {
        try await LiveServer.run { server in
            let response = try await server.get("/", [("Accept", "application/json;q=0.1"), ("Accept", "text/html")])
            #expect(response["content-type"] == Self.html)
        }
    }

    @Test(arguments: [browser, "text/html", "*/*", "application/json"])
    func switchedOffItIsLinksForAll(_ accept: String) async throws {
        try await LiveServer.run(configuration: .with { $0.inspector.enabled = false }) { server in
            let response = try await server.get("/", [("Accept", accept)])
            #expect(response.status == 200)
            #expect(response["content-type"] == Self.json)
            #expect(response.at("/links/stores") == "/stores")
            #expect(response.at("/links/inspector") == nil)
            let description = try await DescribedAPI(of: server)
            #expect(description.json["paths"]?["/"]?["get"]?.description.contains("text/html") == false)
            let operation = try description.operation("readIndex")
            #expect(description.complaints(about: response, to: operation) == [])
        }
    }

    @Test func thePageIsDescribed() async throws {
        try await LiveServer.run { server in
            let operation = try await DescribedAPI(of: server).operation("readIndex")
            #expect(operation.json["responses"]?["200"]?["content"]?.asObject?.names == [Self.json, "text/html"])
        }
    }

    /// An origin that may use the API is told so here too, and caches are told what the answer depends on.
    @Test func theAnswerDependsOnTheOriginToo() async throws {
        try await LiveServer.run(configuration: .with { $0.http.allowedOrigins = ["https://example.org"] }) { server in
            let response = try await server.get("/", [("Accept", Self.browser)])
            #expect(response.values("vary") == ["Accept", "Origin"])
        }
    }

    // MARK: - The page itself

    private static func page() async throws -> TestResponse {
        try await LiveServer.run { try await $0.get("/", [("Accept", browser)]) }
    }

    @Test func thePolicyAllowsNothingButThePageItself() async throws {
        let page = try await Self.page()
        let policy = page["content-security-policy"] ?? ""
        let rules = Dictionary(
            uniqueKeysWithValues: policy.split(separator: "; ").map { rule in
                let words = rule.split(separator: " ", maxSplits: 1)
                return (String(words[0]), String(words[1]))
            })
        let style = try #require(page.text.firstMatch(of: /(?s)<style>(.*?)<\/style>/)).1
        let script = try #require(page.text.firstMatch(of: /(?s)<script type="module">(.*?)<\/script>/)).1
        #expect(
            rules == [
                "default-src": "'none'", "connect-src": "'self'", "img-src": "data:", "base-uri": "'none'",
                "form-action": "'none'", "frame-ancestors": "'none'", "require-trusted-types-for": "'script'",
                "trusted-types": "'none'", "style-src": Self.source(style), "script-src": Self.source(script),
            ])
        #expect(page["x-content-type-options"] == "nosniff")
        #expect(page["referrer-policy"] == "no-referrer")
        #expect(page["cache-control"] == "no-store")
    }

    private static func source(_ text: Substring) -> String {
        "'sha256-\(Base64.text(of: SHA256.digest(of: Array(text.utf8))))'"
    }

    /// The policy would keep what is named here from working.
    @Test func thePageLoadsNothingAndRunsOneScript() async throws {
        let text = try await Self.page().text
        #expect(text.matches(of: /<script\b/).count == 1)
        #expect(text.matches(of: /<style\b/).count == 1)
        #expect(text.matches(of: /<link\b/).count == text.matches(of: /<link rel="icon" href="data:/).count)
        for part in [/\ssrc\s*=/, /\sstyle\s*=\s*"/, /<[^>]*\son[a-z]+\s*=/, /@import/, /url\(/] {
            #expect(text.firstMatch(of: part) == nil)
        }
    }

    /// Text that becomes markup is how strangers' scripts get into pages.
    @Test func theScriptMakesNoMarkupOfText() async throws {
        let text = try await Self.page().text
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc"] {
            #expect(!text.contains(word), "\(word)")
        }
        for word in ["localStorage", "sessionStorage", "document.cookie", "indexedDB"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    @Test func whatTheScriptLooksForIsInThePage() async throws {
        let text = try await Self.page().text
        let wanted = Set(text.matches(of: /(?:\$|on)\("([a-z]+)"[,)]/).map(\.1))
        #expect(wanted.count > 20)
        for id in wanted { #expect(text.contains("id=\"\(id)\""), "\(id)") }
    }

    // MARK: - Digests

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func digestsAreThoseOfTheStandard(_ text: String, _ digest: String) {
        #expect(Self.hexadecimal(SHA256.digest(of: Array(text.utf8))) == digest)
    }

    /// Where the length still fits into the last block, and where it does not any more.
    @Test(arguments: [
        (55, "463eb28e72f82e0a96c0a4cc53690c571281131f672aa229e0d45ae59b598b59"),
        (56, "da2ae4d6b36748f2a318f23e7ab1dfdf45acdc9d049bd80e59de82a60895f562"),
        (63, "29af2686fd53374a36b0846694cc342177e428d1647515f078784d69cdb9e488"),
        (64, "fdeab9acf3710362bd2658cdc9a29e8f9c757fcf9811603a8c447cd1d9151108"),
        (119, "da18797ed7c3a777f0847f429724a2d8cd5138e6ed2895c3fa1a6d39d18f7ec6"),
        (120, "f52b23db1fbb6ded89ef42a23ce0c8922c45f25c50b568a93bf1c075420bbb7c"),
    ])
    func digestsOfAnyLength(_ count: Int, _ digest: String) {
        let message = (0..<count).map { UInt8($0 % 251) }
        #expect(Self.hexadecimal(SHA256.digest(of: message)) == digest)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
