import JSON
import StorehouseServer
import StoresTesting
import Testing

/// The action log: every commit once, oldest first, a page at a time.
@Suite struct ActionLogTests {
    @Test func everyCommitIsListedWithItsOriginAndCause() async throws {
        let clock = ManualClock(1_700_000_000_000)
        let remote = ScriptedRemoteClient()
        try await LiveServer.run(animal: remote, clock: clock.clock) { server in
            let session = try await server.session()
            _ = try await session.increment(5)
            _ = try await session.dispatch("betslip/placeBet")
            _ = try await session.dispatch("animal/ackError")
            clock.advance(by: 1500)
            remote.reply(#"{"animal":"Cat"}"#)
            _ = try await session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=20")])
            let log = try await session.read("/actions")
            #expect(log.status == 200)
            #expect(log.json.asObject?.names == ["actions", "next"])
            #expect(log[json: "next"] == .null)
            let expected: JSONValue = [
                [
                    "revision": 1, "type": "counter/increment", "payload": ["by": 5], "origin": "client",
                    "cause": .null, "at": "2023-11-14T22:13:20.000Z",
                ],
                [
                    "revision": 2, "type": "animal/fetchAnimal", "payload": [:], "origin": "client",
                    "cause": .null, "at": "2023-11-14T22:13:21.500Z",
                ],
                [
                    "revision": 3, "type": "animal/setCurrentAnimal", "payload": ["animal": "Cat"],
                    "origin": "effect", "cause": 2, "at": "2023-11-14T22:13:21.500Z",
                ],
            ]
            #expect(log[json: "actions"] == expected)
        }
    }

    @Test func pagesAreConsecutive() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            _ = try await session.post(.array(Array(repeating: ["type": "counter/increment"], count: 100)))
            _ = try await session.post(.array(Array(repeating: ["type": "counter/increment"], count: 50)))
            let pages: [(String, ClosedRange<Int>, JSONValue)] = [
                ("", 1...100, 100), ("?after=100", 101...150, .null), ("?limit=1000", 1...150, .null),
                ("?limit=1", 1...1, 1), ("?after=149&limit=1", 150...150, .null),
                ("?after=0&limit=150", 1...150, .null),
                ("?limit=149", 1...149, 149),
            ]
            for (query, revisions, next) in pages {
                let page = try await session.read("/actions" + query)
                let shown = page[json: "actions"]?.asArray?.compactMap { $0["revision"]?.asInteger }
                #expect(shown == Array(revisions), "\(query)")
                #expect(page[json: "next"] == next, "\(query)")
            }
            let beyond = try await session.read("/actions?after=9999")
            #expect(beyond[json: "actions"] == [])
            #expect(beyond[json: "next"] == .null)
        }
    }

    @Test(arguments: ["limit=0", "limit=1001", "limit=x", "after=-1", "after=x"])
    func invalidPagesAreRefused(_ query: String) async throws {
        try await LiveServer.run { server in
            let response = try await server.session().read("/actions?\(query)")
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
        }
    }

    @Test func revisionsBeyondRetentionAreGone() async throws {
        try await LiveServer.run(configuration: .with { $0.storage.keepCommits = 10 }) { server in
            let session = try await server.session()
            _ = try await session.post(.array(Array(repeating: ["type": "counter/increment"], count: 100)))
            #expect(try await session.read("/actions").code == "revision-gone")
            let kept = try await session.read("/actions?after=90")
            #expect(kept[json: "actions"]?.asArray?.count == 10)
        }
    }
}
