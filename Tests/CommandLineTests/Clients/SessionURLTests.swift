import CommandLine
import Testing
import Upstream

@Suite struct SessionURLTests {
    @Test(arguments: [
        ("http://a:1/sessions/x", "http://a:1", "/sessions/x", nil),
        ("https://a/sessions/x/", "https://a", "/sessions/x", nil),
        ("http://a/sessions/x/events?select=/b&changes=state#c", "http://a", "/sessions/x", "select=/b&changes=state"),
        ("http://a/base/sessions/x/actions", "http://a/base", "/sessions/x", nil),
        ("http://a/sessions/sessions/x/state", "http://a/sessions", "/sessions/x", nil),
        ("http://a/shared/s-1/events", "http://a", "/shared/s-1", nil),
        ("http://a", "http://a", nil, nil),
        ("http://[::1]:8080/base/", "http://[::1]:8080/base", nil, nil),
        ("http://a/sessions/x/forks", "http://a/sessions/x/forks", nil, nil),
        ("http://a/sessions/", "http://a/sessions", nil, nil),
    ])
    func anAddressIsTakenApart(text: String, root: String, session: String?, query: String?) throws {
        let url = try SessionURL(text)
        #expect(url.root == root)
        #expect(url.session == session)
        #expect(url.query == query)
    }

    @Test(arguments: ["", "a", "ftp://a/sessions/x", "http:///sessions/x", "http://u:p@a/sessions/x", "http://a b"])
    func anythingElseIsRefused(text: String) {
        #expect(throws: UsageError.self) { try SessionURL(text) }
    }

    @Test(arguments: [
        "http://user:PASSWORD@a/sessions/x", "user:PASSWORD@a/sessions/x", "http://user:PASS/WORD@a/sessions/x",
        "http://user:PASS WORD@a/sessions/x", "http://PASSWORD@a/sessions/x", "//user:PASSWORD@a",
    ])
    func aPasswordIsNotRepeated(text: String) {
        for words in [["watch", text], ["send", text, "counter/increment"], ["send", text, "a", "--store", "app"]] {
            let error = #expect(throws: UsageError.self) { try Invocation.parse(words) }
            #expect(error?.description.contains("PASS") == false && error?.description.contains("WORD") == false)
            #expect(error?.description.contains("--header") == true)
        }
    }

    /// A URL may stand in the place of something else.
    @Test(arguments: [
        ["watch", "http://a/sessions/x", "http://user:PASSWORD@a"], ["serve", "http://user:PASSWORD@a"],
        ["http://user:PASSWORD@a"], ["watch", "--http://user:PASSWORD@a"],
        ["send", "http://a/sessions/x", "counter/increment", "http://user:PASSWORD@a"],
    ])
    func aPasswordInTheWrongPlaceIsNotRepeated(words: [String]) {
        let error = #expect(throws: UsageError.self) { try Invocation.parse(words) }
        #expect(error?.description.contains("***@a") == true && error?.description.contains("PASSWORD") == false)
    }

    @Test func onlyASessionHasAnID() throws {
        #expect(try SessionURL("http://a/sessions/x").id == "x")
        #expect(try SessionURL("http://a/shared/x").id == nil)
        #expect(SessionURL(root: "http://a/b", id: "x").text == "http://a/b/sessions/x")
    }

    @Test(arguments: [
        ("http://a/sessions/x", nil, "http://a/sessions/x/events?changes=patch&effects=true"),
        ("http://a/sessions/x", "/b&c", "http://a/sessions/x/events?select=%2Fb%26c&changes=patch&effects=true"),
        (
            "http://a/sessions/x?changes=state&effects=false&select=/b", "/c",
            "http://a/sessions/x/events?changes=state&effects=false&select=%2Fc"
        ),
        ("http://a/shared/x", nil, "http://a/shared/x/events?changes=patch"),
    ])
    func theStreamHasPatchesAndEffects(text: String, select: String?, events: String) throws {
        #expect(try SessionURL(text).events(select: select)?.text == events)
    }

    @Test func otherResourcesKeepTheSelectionAndTheKind() throws {
        let url = try SessionURL("http://a/sessions/me/events?changes=patch&store=seats&select=/b")
        #expect(url.url() == "http://a/sessions/me?store=seats&select=/b")
        #expect(
            url.url(of: "state", [("select", "/c"), ("revision", nil)])
                == "http://a/sessions/me/state?store=seats&select=%2Fc")
        #expect(
            try SessionURL("http://a/sessions/x").url(of: "actions", [("after", "1")])
                == "http://a/sessions/x/actions?after=1")
    }
}
