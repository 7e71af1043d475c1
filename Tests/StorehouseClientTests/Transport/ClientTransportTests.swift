import StorehouseClient
import Testing

@Suite struct ClientTransportTests {
    @Test func aRequestHasNoBodyUnlessGiven() {
        #expect(ClientRequest("GET", "http://localhost/").body == nil)
    }
}
