import HTTP
import Testing

struct FieldValueTests {
    /// RFC 9110, sections 8.8.3 and 13.1.
    @Test(arguments: [
        (["*"], "*"), (["\"3\""], "\"3\""), (["\"3\", W/\"4\"", "\"\""], "\"3\" W/\"4\" \"\""),
        ([" , \"a,b\",,"], "\"a,b\""),
        ([], "nil"), ([""], "error"), ([","], "error"), (["3"], "error"), (["\"3"], "error"), (["w/\"3\""], "error"),
        (["W/3"], "error"), (["\"3\" \"4\""], "error"), (["*, \"3\""], "error"), (["\"3\"", "*"], "error"),
        (["\"a b\""], "error"), (["W /\"3\""], "error"),
    ])
    func entityTagConditions(lines: [String], expected: String) {
        let read: String
        do {
            switch try EntityTagCondition(lines) {
            case nil: read = "nil"
            case .any: read = "*"
            case .tags(let tags): read = tags.map(\.description).joined(separator: " ")
            }
        } catch {
            read = "error"
        }
        #expect(read == expected)
    }

    @Test
    func entityTagsRejectInvalidCharacters() {
        #expect(EntityTag(RevisionTag(12, of: "")).description == "\"12\"")
        #expect(EntityTag(RevisionTag(12, of: "k2.x")).description == "\"12.k2.x\"")
        #expect(EntityTag("a\"b") == nil)
        #expect(EntityTag("a\nb") == nil)
    }

    /// RFC 7240, section 2.
    @Test(
        arguments: [
            (["return=minimal"], "minimal", nil), (["Return = \"minimal\" , WAIT=5"], "minimal", 5),
            (["wait=10", "return=representation"], "representation", 10), (["wait=1, wait=2"], nil, 1),
            (["return=minimal; foo=\"a, b\"; bar, wait=3"], "minimal", 3), (["x=\"a,wait=9\", wait=3"], nil, 3),
            (["wait"], nil, nil), (["wait=-1"], nil, nil), (["wait=1.5"], nil, nil), (["wait=\"7\""], nil, 7),
            (["return=nothing"], nil, nil), (["=x, wait=4"], nil, 4), (["a b, wait=4"], nil, 4),
            (["a=\"b, wait=4"], nil, nil),
            (["wait=99999999999999999999"], nil, Int.max), ([", ,wait=4,"], nil, 4), ([], nil, nil),
            (["a=;,wait=4"], nil, 4), (["return=minimal;a=, wait=4"], nil, 4),
            (["return=minimal; ;b;c = d"], "minimal", nil),
            (["a=\"x\\\"y,z\", wait=4"], nil, 4), (["@\"x\\\",wait=9\", wait=4"], nil, 4),
            (["a=\"\\\"\", wait=4;"], nil, 4),
        ] as [([String], String?, Int?)])
    func preferences(lines: [String], wanted: String?, wait: Int?) {
        let preferences = Preferences(lines)
        #expect(preferences.return?.rawValue == wanted)
        #expect(preferences.wait == wait)
    }

    @Test
    func otherPreferencesAreAccessible() {
        let preferences = Preferences(["respond-async, foo=bar"])
        #expect(preferences["respond-async"]?.isEmpty == true)
        #expect(preferences["foo"] == "bar")
        #expect(preferences["wait"] == nil)
    }

    /// The example of RFC 9110, section 12.5.1, and what it does not say.
    @Test(
        arguments: [
            (
                "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5",
                [
                    ("text/plain;format=flowed", 1000), ("text/plain", 700), ("text/html", 300), ("image/jpeg", 500),
                    ("text/plain;format=fixed", 400), ("text/html;level=3", 300),
                ]
            ),
            ("*/*", [("text/html", 1000)]),
            ("text/html", [("TEXT/HTML", 1000), ("application/json", 0)]),
            ("text/html;q=0, */*;q=0.1", [("text/html", 0), ("text/css", 100)]),
            ("text/html;Q=0.5", [("text/html", 500)]),
            ("text/html;charset=\"UTF-8\"", [("text/html;charset=utf-8", 1000), ("text/html", 0)]),
            ("", [("text/html", 1000)]),
            ("garbage, */json, text/html;q=2, a/b;q=0.1234, a/b;q=", [("text/html", 1000)]),
            ("garbage;x=\"a,b/c\", text/html", [("text/html", 1000), ("b/c", 0)]),
            ("text/html;q=1.001, text/css", [("text/html", 0), ("text/css", 1000)]),
            ("text/html;q=0.001;ext=1", [("text/html", 1)]),
            ("text/html;q=0x5, text/css;q=0.a, a/b;q=.5, text/plain", [("text/html", 0), ("text/css", 0), ("a/b", 0)]),
            ("a/b;c=\"d\\\",e/f\";q=2, text/plain", [("e/f", 0), ("a/b", 0), ("text/plain", 1000)]),
        ] as [(String, [(String, Int)])])
    func acceptWeighs(accept: String, expected: [(String, Int)]) throws {
        let header = AcceptHeader([accept])
        for (type, quality) in expected {
            #expect(header.quality(of: try #require(MediaType(type))) == quality, "\(type)")
        }
    }

    @Test(
        arguments: [
            ("*/*", "text/event-stream"), ("text/plain", "text/plain"),
            ("text/event-stream;q=0.1, text/plain;q=0.2", "text/plain"),
            ("text/*", "text/event-stream"), ("image/png", nil), ("text/plain;q=0", nil),
        ] as [(String, String?)])
    func acceptPrefers(accept: String, expected: String?) throws {
        let offers = [try #require(MediaType("text/event-stream")), try #require(MediaType("text/plain"))]
        #expect(AcceptHeader([accept]).preferred(of: offers)?.essence == expected)
    }

    @Test(arguments: [
        (["text/event-stream"], true), (["Text/Event-Stream; q=0.001"], true), ([", text/event-stream ,"], true),
        (["text/event-stream;charset=UTF-8"], true), ([], false), (["*/*"], false), (["text/*"], false),
        (["text/event-stream;q=0"], false), (["text/event-stream;charset=latin1"], false),
        (["text/event-stream, text/event-stream"], false), (["text/event-stream", "*/*;q=0"], false),
        (["text/event-stream, ?"], false), (["text/event-stream/x"], false),
    ])
    func aTypeIsAcceptedAlone(_ lines: [String], isOnly: Bool) throws {
        let offer = try #require(MediaType("text/event-stream; charset=utf-8"))
        #expect(AcceptHeader(lines).isOnly(offer) == isOnly)
    }

    @Test
    func firstOfferWinsWithoutAcceptField() throws {
        let offer = try #require(MediaType("application/json"))
        #expect(AcceptHeader([]).preferred(of: [offer]) == offer)
        #expect(AcceptHeader(["text/html", "application/json;q=0.5"]).quality(of: offer) == 500)
    }

    /// RFC 9110, section 8.3.1.
    @Test(
        arguments: [
            ("application/json", "application/json", nil),
            ("Application/JSON; Charset=\"utf-8\"", "application/json", "utf-8"),
            ("a/b;", "a/b", nil), ("a/b ; ; charset=x", "a/b", "x"), ("a/b;charset=\"\\x\"", "a/b", "x"),
            ("", nil, nil), ("a", nil, nil), ("a/", nil, nil), ("/b", nil, nil), ("a/b c", nil, nil),
            ("a/b, c/d", nil, nil),
            ("a/b;charset", nil, nil), ("a/b;charset=", nil, nil), ("a/b;charset=\"x", nil, nil),
            ("a/b;charset=x;charset=y", nil, nil), ("a/b;charset =x", nil, nil), ("a/b;charset=\"x\\", nil, nil),
        ] as [(String, String?, String?)])
    func mediaTypes(text: String, essence: String?, charset: String?) {
        let type = MediaType(text)
        #expect(type?.essence == essence)
        #expect(type?["charset"] == charset)
    }
}
