import JSON
import StorehouseServer
import Testing

/// `ready` beside commits and streams that come at the same time.
@Suite(.timeLimit(.minutes(30))) struct ReadyRaceTests {
    @Test func `ready never names an older revision than the value before it`() async throws {
        let kinds = [LedgerKind.make(isAsynchronous: false)]
        try await DurableServer().run(kinds: kinds) { server in
            let session = try await server.session("ledger")
            let outbox = TestOutbox(session)
            let mark = try #require(try await outbox.begin().at("/mark")?.asString)
            let query = "?sync=\(outbox.client)&select=/total"
            let first = try await session.events(query: query)
            var last = (revision: 0, number: 0)
            for number in 1...500 {
                let barrier = Barrier(3)
                async let opened = {
                    await barrier.pass()
                    return try await session.events(query: query)
                }()
                async let sent = {
                    await barrier.pass()
                    return try await outbox.send(from: number, TestOutbox.entry("ledger/note"))
                }()
                await barrier.pass()
                let revision = try #require(try await session.post(OutboxEntry.add(1)).revision)
                #expect(try await sent.results == ["\(number) committed"])
                let stream = try await opened
                var begin = (revision: 0, number: 0)
                try await Self.follow(stream, mark, from: &begin, to: (revision, number))
                try await Self.follow(first, mark, from: &last, to: (revision, number))
                try await stream.finishSending()
            }
        }
    }

    /// Reads until a stream has told of a revision and of an entry. Neither goes back.
    private static func follow(
        _ events: EventReader, _ mark: String, from last: inout (revision: Int, number: Int),
        to end: (revision: Int, number: Int)
    ) async throws {
        while last.revision < end.revision || last.number < end.number {
            let event = try #require(try await events.event())
            let revision = try #require(event.revision)
            #expect(revision >= last.revision, "\(event.name) behind \(last)")
            last.revision = revision
            guard let number = event.data["through"]?[mark]?.asInteger else { continue }
            #expect(number >= last.number, "\(event.name) behind \(last)")
            last.number = number
        }
    }
}
