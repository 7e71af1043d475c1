import Storehouse
import StorehouseTesting
import Testing

@testable import shopping

/// A test of the whole server, with the demo of the shop.
@Suite struct ServerTests {
    @Test func clientsReadTheTotal() async throws {
        try await TestServer.run([shopping()]) { server in
            let session = try await server.createSession()
            for item: JSONValue in ["tea", "milk", "a star"] {
                let add: JSONValue = ["type": "shopping/add", "payload": ["item": item]]
                let answer = try await server.dispatch(add, to: session, waitingForEffects: true)
                #expect(answer.status == 200)
            }
            let total = try await server.send("GET", session + "/state?select=total").json()
            #expect(total["state"] == 588)
            let star = try await server.send("GET", session + "/state?select=/items/entities/a%20star").json()
            #expect(star["state"]?["error"] == "bad-status")
        }
    }
}
