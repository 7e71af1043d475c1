import JSON
import StorehouseServer
import Testing

/// How many views of selectors that depend on the reader a session has.
@Suite("The views of a selector of the actor", .timeLimit(.minutes(10)))
struct ActorViewLimitTests {
    @Test("have a limit of their own")
    func limit() async throws {
        let change: (inout Configuration) -> Void = {
            $0.streams.maxViews = 1
            $0.streams.maxActorViews = 2
        }
        #expect(Configuration().streams.maxActorViews == 1000)
        try await ActorSelectorTests.run(.memory, change) { table, _ in
            let common = try await table.events("?select=players", as: "ada")
            var streams = [try await table.events(as: "ada"), try await table.events(as: "bob")]
            let wanted = TestRequest("GET", table.path + "/events?select=hand", CardTable.field("carol"))
            let refused = try await table.server.send(wanted)
            #expect(refused.status == 429 && refused.code == "too-many-views")
            #expect(refused["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            #expect(try await table.server.send("GET", table.path + "/events", as: "ada").code == "too-many-views")
            // A view that is there may be shared.
            streams.append(try await table.events(as: "bob"))
            try await streams.remove(at: 0).finishSending()
            let subscribers = TestRequest("GET", table.path, CardTable.field("ada"))
            _ = try await table.server.eventually(subscribers) { $0[json: "subscribers"] == 3 }
            streams.append(try await table.events(as: "carol"))
            try await table.deal("ace", to: "carol")
            let carol = try #require(streams.last)
            #expect(try await carol.state().state == [])
            #expect(try await carol.state().state == ["ace"])
            withExtendedLifetime(common) {}
        }
    }

    @Test("leave places for other readers, whatever one asks for under whichever roles")
    func limitOfAReader() async throws {
        let change: (inout Configuration) -> Void = {
            $0.streams.maxViews = 2
            $0.streams.maxActorViews = 4
        }
        try await ActorSelectorTests.run(.memory, change) { table, _ in
            var streams = [try await table.events(as: "bob"), try await table.events("?select=who", as: "bob")]
            let guest = try await table.share(["may": ["read"], "select": "hand", "as": ["id": "bob"]])
            for query in ["?select=/0", "?select=/1"] { streams.append(try await guest.events(query)) }
            #expect(try await table.server.get(guest.path + "/events?select=/2").code == "too-many-views")
            for index in [3, 2] { try await streams.remove(at: index).finishSending() }
            let subscribers = TestRequest("GET", table.path, CardTable.field("ada"))
            _ = try await table.server.eventually(subscribers) { $0[json: "subscribers"] == 2 }
            for (query, roles) in [("hand&changes=patch", nil), ("hand", ["dealer"])] as [(String, [String]?)] {
                let wanted = TestRequest(
                    "GET", table.path + "/events?select=" + query, CardTable.field("bob", roles))
                let refused = try await table.server.send(wanted)
                #expect(refused.status == 429 && refused.code == "too-many-views")
            }
            // Others still find room, and so does this one once it has closed a stream.
            for query in ["?select=hand", "?select=who"] { streams.append(try await table.events(query, as: "carol")) }
            #expect(try await table.server.send("GET", table.path + "/events?select=hand", as: "dave").status == 429)
            try await streams.remove(at: 1).finishSending()
            _ = try await table.server.eventually(subscribers) { $0[json: "subscribers"] == 3 }
            streams.append(try await table.events("?select=hand&changes=patch", as: "bob"))
            withExtendedLifetime(streams) {}
        }
    }

    @Test("are found for each reader while others come and go")
    func manyViews() async throws {
        let change: (inout Configuration) -> Void = { $0.streams.maxActorViews = 12 }
        try await ActorSelectorTests.run(.memory, change) { table, _ in
            var streams: [Int: EventReader] = [:]
            let subscribers = TestRequest("GET", table.path, CardTable.field("ada"))
            for user in 0..<12 { streams[user] = try await table.events(as: "user-\(user)") }
            // The first, the last, and some between them leave, and come again behind the others.
            for user in [0, 11, 5, 6, 10] { try await streams.removeValue(forKey: user)?.finishSending() }
            _ = try await table.server.eventually(subscribers) { $0[json: "subscribers"] == 7 }
            for user in [10, 0, 6, 5, 11] { streams[user] = try await table.events(as: "user-\(user)") }
            #expect(try await table.server.send("GET", table.path + "/events?select=hand", as: "new").status == 429)
            for user in 0..<12 { try await table.deal("card-\(user)", to: "user-\(user)") }
            for (user, events) in streams {
                #expect(try await events.state().state == [])
                let event = try await events.state()
                #expect(event.state == [.string("card-\(user)")] && event.revision == user + 1)
            }
        }
    }
}
