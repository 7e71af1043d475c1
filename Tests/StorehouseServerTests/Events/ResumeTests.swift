import JSON
import StorehouseServer
import Testing

/// Resuming a stream: no event is missed, and none repeated.
@Suite struct ResumeTests {
    /// How a client sends the id of its last event.
    enum Transport: CaseIterable, Sendable {
        case field, query

        func open(_ session: LiveSession, _ id: String, select: String? = nil) async throws -> EventReader {
            let selection = select.map { "select=\($0)" }
            switch self {
            case .field:
                return try await session.events(query: selection.map { "?" + $0 } ?? "", [("Last-Event-ID", id)])
            case .query:
                return try await session.events(
                    query: "?" + ([selection, "lastEventId=\(id)"].compactMap(\.self)).joined(separator: "&"))
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func atTheNewestRevisionNothingIsRepeated(_ transport: Transport) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment()
            let id = try #require(try await session.events().state().id)
            let resumed = try await transport.open(session, id)
            _ = try await session.increment()
            #expect(try await resumed.state().revision == 2)
        }
    }

    @Test(arguments: Transport.allCases)
    func atAnEarlierRevisionTheNewestStateIsSentOnce(_ transport: Transport) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let id = try #require(try await session.events().state().id)
            for _ in 1...3 { _ = try await session.increment() }
            let resumed = try await transport.open(session, id)
            #expect(try await resumed.state().revision == 3)
            _ = try await session.increment()
            #expect(try await resumed.state().revision == 4)
        }
    }

    @Test(arguments: Transport.allCases)
    func anIdOfAnotherSessionIsIgnored(_ transport: Transport) async throws {
        try await TestAPI.run { api in
            let other = try await api.session()
            let id = try #require(try await other.events().state().id)
            let session = try await api.session()
            #expect(try await transport.open(session, id).state().revision == 0)
        }
    }

    @Test(
        arguments: Transport.allCases,
        [
            "", "0", "-1", "x-y", "-", "--", "99999999999999999999-99999999999999999999", "%00", "a-0",
        ])
    func aMalformedIdIsIgnored(_ transport: Transport, _ id: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            #expect(try await transport.open(session, id).state().revision == 0)
        }
    }

    @Test func anIdBeyondTheNewestRevisionIsIgnored() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let id = try #require(try await session.events().state().id)
            #expect(id.hasSuffix("-0"))
            for future in ["1", "9223372036854775807"] {
                let resumed = try await session.events([("Last-Event-ID", id.dropLast() + future)])
                #expect(try await resumed.state().revision == 0)
            }
        }
    }

    @Test func anUnchangedSelectedValueIsSentAtMostOnce() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let id = try #require(try await session.events(query: "?select=/counter").state().id)
            for _ in 1...3 { _ = try await session.dispatch("tasks/add", ["title": "x"]) }
            let resumed = try await Transport.field.open(session, id, select: "/counter")
            _ = try await session.increment()
            let events = try await resumed.states(upTo: 4)
            #expect(events.count <= 2)
            #expect(events.last?.state == ["count": 1])
        }
    }

    @Test func theHeaderFieldTakesPrecedenceOverTheQuery() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let old = try #require(try await session.events().state().id)
            _ = try await session.increment()
            let new = try #require(try await session.events().state().id)
            // A browser that reconnects sends the field to its first URL, with the old query.
            let resumed = try await session.events(query: "?lastEventId=\(old)", [("Last-Event-ID", new)])
            _ = try await session.increment()
            #expect(try await resumed.state().revision == 2)
        }
    }

    @Test func idsConsistOfHistoryAndRevision() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events()
            let first = try await events.state()
            _ = try await session.increment()
            let second = try await events.state()
            let again = try await session.events().state()
            #expect(first.id != second.id)
            #expect(again.id == second.id)
            // Whoever knows the id of the session may use it, so event ids must not contain it.
            #expect(second.id?.contains(session.path.dropFirst(10)) == false)
        }
    }

    @Test(arguments: ["app", "planner"])
    func aReconnectingClientMissesNothing(_ store: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session(store)
            let last = 300
            async let writing: Void = {
                let client = try api.client()
                let request = session.request("tasks/add", ["title": "x"], fields: [("Prefer", "return=minimal")])
                for _ in 0..<last { _ = try await client.exchange(request) }
            }()
            var seen = StreamEvent()
            var random = SystemRandomNumberGenerator()
            while seen.revision ?? -1 < last {
                let stream = try await session.events(seen.id.map { [("Last-Event-ID", $0)] } ?? [])
                for _ in 0..<Int.random(in: 1...8, using: &random) where seen.revision ?? -1 < last {
                    let event = try await stream.state()
                    #expect(event.revision ?? -1 > seen.revision ?? -1)
                    #expect(event.state?["tasks"]?["ids"]?.asArray?.count == event.revision)
                    seen = event
                }
            }
            try await writing
            #expect(seen.revision == last)
            #expect(seen.state == (try await session.state()))
        }
    }
}
