import Storehouse
import StorehouseTesting
import Testing

@testable import chat

/// A test of the whole server.
@Suite struct ServerTests {
    @Test func aMessageHasTheTimeOfTheServer() async throws {
        try await TestServer.run([chat()]) { server in
            let session = try await server.createSession()
            let actions: JSONValue = [
                ["type": "chat/join", "payload": ["name": "Ada"]],
                ["type": "chat/post", "payload": ["name": "Ada", "text": "Hello", "now": 1]],
            ]
            let answer = try await server.dispatch(actions, to: session)
            let message = try answer.json()["state"]?["messages"]?["entities"]?["1"]
            #expect(message?["text"] == "Hello")
            #expect(message?["moment"]?.asInteger ?? 0 > 1)
            let unread = try await server.send("GET", session + "/state?select=unread").json()
            #expect(unread["state"] == ["Ada": 0])
        }
    }

    @Test func aMessageHasALength() async throws {
        try await TestServer.run([chat()]) { server in
            let session = try await server.createSession()
            let text = String(repeating: "👩‍👩‍👧‍👧", count: 501)
            let action: JSONValue = ["type": "chat/post", "payload": ["name": "Ada", "text": .string(text)]]
            let answer = try await server.dispatch(action, to: session)
            #expect(answer.status == 422)
            #expect(try JSONValue(parsing: answer.body)["errors"]?.asArray?.first?["pointer"] == "/payload/text")
        }
    }
}
