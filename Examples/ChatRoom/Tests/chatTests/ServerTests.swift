import Storehouse
import StorehouseTesting
import Testing

@testable import chat

/// Tests of the whole server, with users who have tokens.
@Suite struct ServerTests {
    private func withServer(_ body: (TestServer) async throws -> Void) async throws {
        try await TestServer.run([chat()], configuration: ["access": ["mode": "token"]], body)
    }

    @Test func aMemberIsInvitedSpeaksAndIsRemoved() async throws {
        try await withServer { server in
            let (ada, bob) = (server.as(.user("ada", name: "Ada")), server.as(.user("bob", name: "Bob")))
            let room = try await ada.createSession()
            let hello: JSONValue = ["type": "chat/post", "payload": ["text": "Hello"]]
            #expect(try await bob.dispatch(hello, to: room).status == 403)

            let invitation: JSONValue = ["type": "chat/invite", "payload": ["member": "bob"]]
            #expect(try await ada.dispatch([["type": "chat/join"], invitation], to: room).status == 200)
            let list = try await bob.send("GET", "/sessions?role=member").json()["sessions"]?.asArray
            #expect(list?.map { $0["links"]?["self"] } == [.string(room)])
            let answer = try await bob.dispatch([["type": "chat/join"], hello], to: room)
            let message = try answer.json()["state"]?["messages"]?["entities"]?["1"]
            #expect(message?["author"] == "bob")
            #expect(message?["moment"]?.asInteger ?? 0 > 1)
            let (news, none) = (
                try await ada.send("GET", room + "/state?select=unread").json(),
                try await bob.send("GET", room + "/state?select=unread").json()
            )
            #expect(news["state"] == 1 && none["state"] == 0)

            let removal: JSONValue = ["type": "chat/remove", "payload": ["member": "bob"]]
            #expect(try await ada.dispatch(removal, to: room).status == 200)
            #expect(try await bob.dispatch(hello, to: room).status == 403)
            #expect(try await bob.send("GET", room + "/state").status == 403)
            #expect(try await bob.send("GET", "/sessions").json()["sessions"] == [])
        }
    }

    @Test func nobodySpeaksAsSomebodyElse() async throws {
        try await withServer { server in
            let ada = server.as(.user("ada"))
            let room = try await ada.createSession()
            let forged: JSONValue = ["type": "chat/post", "payload": ["author": "bob", "text": "Hello"]]
            let answer = try await ada.dispatch([["type": "chat/join"], forged], to: room)
            #expect(answer.status == 422)
            #expect(try JSONValue(parsing: answer.body)["errors"]?.asArray?.first?["pointer"] == "/1/payload/author")
        }
    }

    @Test func aMessageHasALength() async throws {
        try await withServer { server in
            let ada = server.as(.user("ada"))
            let room = try await ada.createSession()
            let text = String(repeating: "👩‍👩‍👧‍👧", count: 501)
            let answer = try await ada.dispatch(["type": "chat/post", "payload": ["text": .string(text)]], to: room)
            #expect(answer.status == 422)
            #expect(try JSONValue(parsing: answer.body)["errors"]?.asArray?.first?["pointer"] == "/payload/text")
        }
    }
}
