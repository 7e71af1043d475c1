import Storehouse
import StorehouseTesting
import Testing

@testable import seats

/// Tests of the whole server: it runs in the process of the test.
@Suite struct HallTests {
    private func book(_ guest: String) -> JSONValue { ["type": "seats/book", "payload": ["guest": .string(guest)]] }

    @Test func theFourthGuestIsRejected() async throws {
        try await TestServer.run([seats]) { server in
            let session = try await server.createSession()
            for guest in ["Ada", "Grace", "Barbara"] {
                #expect(try await server.dispatch(book(guest), to: session).status == 200)
            }
            let answer = try await server.dispatch(book("Donald"), to: session)
            #expect(answer.status == 409)
            #expect(try JSONValue(parsing: answer.body)["reason"] == "sold-out")
        }
    }

    @Test func aClearedHallHasSeats() async throws {
        try await TestServer.run([seats]) { server in
            let session = try await server.createSession()
            let actions: JSONValue = .array([book("Ada"), ["type": "seats/clear"], book("Grace")])
            let answer = try await server.dispatch(actions, to: session)
            #expect(try answer.json()["state"] == ["guests": ["Grace"]])
        }
    }
}
