import Foundation
import JSON
import StorehouseServer
import Stores
import Testing

/// The page at `/` for browsers. `script/streams-test` tests it in a browser.
@Suite struct InspectorTests {
    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
    private static let html = "text/html; charset=utf-8"
    private static let json = "application/json"
    private static let folder = "Sources/StorehouseServer/Inspector/"

    @Test(arguments: [
        (browser, html), ("text/html", html), ("TEXT/HTML; charset=UTF-8", html), ("text/*", html),
        ("application/json;q=0.5, text/html;q=0.6", html), ("application/json;q=0, */*", html),
        ("*/*", json), ("", json), ("application/json", json), ("application/json;charset=utf-8", json),
        ("application/*", json), ("text/html;q=0, */*", json),
        ("application/json, text/plain, */*", json), ("application/json;q=0.6, text/html;q=0.5", json),
        ("application/json, text/html", json), ("nonsense", json),
    ])
    func whoPrefersHTMLGetsThePage(_ accept: String, _ type: String) async throws {
        try await TestAPI.run { api in
            let fields = [("Accept", accept)]
            let get = try await api.get("/", fields)
            #expect(get.status == 200)
            #expect(get["content-type"] == type)
            #expect(get["vary"] == "Accept")
            let head = try await api.send(TestRequest("HEAD", "/", fields))
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.fields.map(\.name) == get.fields.map(\.name))
            // Each answer has its own time, its own id and its own nonce.
            let own = ["date", "x-request-id", "content-security-policy"]
            for name in get.fields.map(\.name) where !own.contains(name) {
                #expect(head[name] == get[name])
            }
        }
    }

    @Test func withoutAcceptThereAreLinks() async throws {
        try await TestAPI.run { api in
            let response = try await api.get("/")
            #expect(response["content-type"] == Self.json)
            #expect(response["vary"] == "Accept")
            #expect(response.at("/links/inspector") == "/")
        }
    }

    @Test(arguments: ["image/png", "application/json;q=0, text/html;q=0", "application/xhtml+xml"])
    func clientsThatAcceptNeitherAreRefused(_ accept: String) async throws {
        try await TestAPI.run { api in
            let response = try await api.get("/", [("Accept", accept)])
            #expect(response.code == "not-acceptable")
        }
    }

    @Test func severalAcceptLinesAreOne() async throws {
        try await TestAPI.run { api in
            let response = try await api.get("/", [("Accept", "application/json;q=0.1"), ("Accept", "text/html")])
            #expect(response["content-type"] == Self.html)
        }
    }

    @Test(arguments: [browser, "text/html", "*/*", "application/json"])
    func withoutTheInspectorAllGetLinks(_ accept: String) async throws {
        try await TestAPI.run(configuration: .with { $0.inspector.enabled = false }) { api in
            let response = try await api.get("/", [("Accept", accept)])
            #expect(response.status == 200)
            #expect(response["content-type"] == Self.json)
            #expect(response.at("/links/stores") == "/stores")
            #expect(response.at("/links/inspector") == nil)
            let description = try await DescribedAPI(of: api)
            #expect(description.json["paths"]?["/"]?["get"]?.description.contains("text/html") == false)
            let operation = try description.operation("readIndex")
            #expect(description.complaints(about: response, to: operation) == [])
        }
    }

    @Test func thePageIsDescribed() async throws {
        try await TestAPI.run { api in
            let operation = try await DescribedAPI(of: api).operation("readIndex")
            #expect(operation.json["responses"]?["200"]?["content"]?.asObject?.names == [Self.json, "text/html"])
        }
    }

    /// CORS applies here too, and Vary names all fields that the response depends on.
    @Test func theAnswerDependsOnTheOriginToo() async throws {
        try await TestAPI.run(configuration: .with { $0.http.allowedOrigins = ["https://example.org"] }) { api in
            let response = try await api.get("/", [("Accept", Self.browser)])
            #expect(response.values("vary") == ["Accept", "Origin"])
        }
    }

    // MARK: - The page itself

    private static func page() async throws -> TestResponse {
        try await TestAPI.run { try await $0.get("/", [("Accept", browser)]) }
    }

    @Test func thePolicyAllowsNothingButThePageItself() async throws {
        let page = try await Self.page()
        let policy = page["content-security-policy"] ?? ""
        let rules = Dictionary(
            uniqueKeysWithValues: policy.split(separator: "; ").map { rule in
                let words = rule.split(separator: " ", maxSplits: 1)
                return (String(words[0]), String(words[1]))
            })
        let style = try #require(page.text.firstMatch(of: /<style nonce="([\w-]{22})">/)).1
        let script = try #require(page.text.firstMatch(of: /<script type="module" nonce="([\w-]{22})">/)).1
        #expect(
            rules == [
                "default-src": "'none'", "connect-src": "'self'", "img-src": "data:", "base-uri": "'none'",
                "form-action": "'none'", "frame-ancestors": "'none'", "require-trusted-types-for": "'script'",
                "trusted-types": "'none'", "style-src": "'nonce-\(style)'", "script-src": "'nonce-\(script)'",
            ])
        #expect(page["x-content-type-options"] == "nosniff")
        #expect(page["referrer-policy"] == "no-referrer")
        #expect(page["cache-control"] == "no-store")
        // Each page has new nonces, which nobody can predict.
        #expect(try await Self.page()["content-security-policy"] != policy)
    }

    @Test func thePageHoldsItsStyleAndItsScript() async throws {
        let text = try await Self.page().text
        let style = try #require(text.firstMatch(of: /<style [^>]*>\n(.*?)\n<\/style>/.dotMatchesNewlines())).1
        #expect(style.hasPrefix(":root{") && style.hasSuffix("}"))
        let script = try #require(text.firstMatch(of: /<script [^>]*>\n(.*?)\n<\/script>/.dotMatchesNewlines())).1
        #expect(try ProjectFile.text(of: Self.folder + "Page/inspector.js") == script + "\n")
        #expect(text.hasPrefix("<!doctype html>\n") && text.hasSuffix("</script>\n</html>\n"))
    }

    /// The Content-Security-Policy would block these.
    @Test func thePageLoadsNothingAndRunsOneScript() async throws {
        let text = try await Self.page().text
        #expect(text.matches(of: /<script\b/).count == 1)
        #expect(text.matches(of: /<style\b/).count == 1)
        #expect(text.matches(of: /<link\b/).count == text.matches(of: /<link rel="icon" href="data:/).count)
        for part in [/\ssrc\s*=/, /\sstyle\s*=\s*"/, /<[^>]*\son[a-z]+\s*=/, /@import/, /url\(/] {
            #expect(text.firstMatch(of: part) == nil)
        }
    }

    /// Text that becomes markup would let foreign scripts into the page.
    @Test func theScriptMakesNoMarkupOfText() async throws {
        let text = try await Self.page().text
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc"] {
            #expect(!text.contains(word), "\(word)")
        }
        for word in ["sessionStorage", "document.cookie"] { #expect(!text.contains(word), "\(word)") }
    }

    /// One file keeps the look of the page and the list of recent sessions.
    @Test func oneFileOfTheScriptUsesTheDisk() throws {
        for file in try Self.sources() where file.text.contains("localStorage") {
            #expect(file.name == "settings.js")
        }
    }

    @Test func thePageContainsTheElementsOfTheScript() async throws {
        let page = try await Self.page().text
        let sources = try Self.sources()
        let wanted = Set(sources.flatMap { $0.text.matches(of: /\$\("([a-z]+)"\)/).map { String($0.1) } })
        #expect(wanted.count > 20)
        for id in wanted {
            let isMade = sources.contains { $0.text.contains("id: \"\(id)\"") }
            #expect(isMade || page.contains("id=\"\(id)\""), "\(id)")
        }
    }

    /// The page is a part of each program, and loads at once.
    @Test func thePageIsSmall() async throws {
        #expect(try await Self.page().body.count < 160_000)
    }

    private static func sources() throws -> [(name: String, text: String)] {
        let folder = ProjectFile.url(of: Self.folder + "Source")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "js" }.map { file in
            (file.lastPathComponent, try String(contentsOf: file, encoding: .utf8))
        }
    }
}
