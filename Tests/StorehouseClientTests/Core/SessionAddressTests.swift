import StorehouseClient
import Testing

@Suite struct SessionAddressTests {
    @Test func `resources stand before the query`() {
        let address = SessionAddress("https://host/base/sessions/me/?store=a%20b#top")
        #expect(address.url(of: "") == "https://host/base/sessions/me?store=a%20b")
        #expect(
            address.url(of: "events", [("select", "/a b"), ("effects", nil)])
                == "https://host/base/sessions/me/events?store=a%20b&select=%2Fa%20b")
        #expect(SessionAddress("http://host/sessions/x").url(of: "sync") == "http://host/sessions/x/sync")
    }

    @Test func `each form of a session has its address`() {
        func address(_ session: RemoteSession) -> String { session.address(at: "https://host/", kind: "seats").text }
        #expect(address(.mine) == "https://host/sessions/me?store=seats")
        #expect(address(.mine("hall")) == "https://host/sessions/me?store=hall")
        #expect(address(.id("abc")) == "https://host/sessions/abc")
        #expect(address(.share("https://other/shared/xyz")) == "https://other/shared/xyz")
        #expect(address(.share("/shared/xyz")) == "https://host/shared/xyz")
        #expect(address(.share("xyz")) == "https://host/shared/xyz")
    }
}
