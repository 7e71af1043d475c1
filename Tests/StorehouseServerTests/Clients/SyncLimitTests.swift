import CFaultyDisk
import Foundation
import JSON
import Journal
import Locks
import StoreHosting
import StorehouseServer
import StoresTesting
import Testing

/// Limits that end a request of an outbox before all of its entries are run.
@Suite("A long outbox", .timeLimit(.minutes(5))) struct SyncLimitTests {
    private typealias Outbox = TestOutbox

    @Test("ends at the rate limit of the session, between two entries, and repeats cost nothing")
    func rates() async throws {
        let clock = ManualClock()
        let configuration = Configuration.with { $0.limits.actions = .init(rate: 0.5, burst: 3) }
        try await TestAPI.run(clock: clock.clock, configuration: configuration) { api in
            let session = try await api.session()
            let outbox = Outbox(session)
            try await outbox.begin()
            let pair = Outbox.entry([["type": "counter/increment"], ["type": "counter/increment"]])
            let first = try await outbox.send(from: 1, Outbox.increment, pair, pair)
            #expect(first.results == ["1 committed", "2 committed"])
            #expect(first.at("/retryAfter") == 4)
            for _ in 0..<10 {
                let again = try await outbox.send(from: 1, Outbox.increment, pair)
                #expect(again.results == ["1 committed again", "2 committed again"])
                #expect(again.json["retryAfter"] == nil)
            }
            let none = try await outbox.send(from: 3, pair)
            #expect(none.status == 200 && none.results == [] && none.at("/retryAfter") == 4)
            clock.advance(by: 4000)
            #expect(try await outbox.send(from: 3, pair).results == ["3 committed"])
        }
    }

    @Test("waits behind four others of its client at most")
    func turns() async throws {
        let slow = SlowKind()
        try await TestAPI.run(kinds: [slow.kind], configuration: .with { $0.http.maxBodyBytes = 1 << 20 }) { api in
            let session = try await api.session("slow")
            // The work on a large state blocks no loop.
            let text = JSONValue.string(String(repeating: "x", count: 100_000))
            #expect(try await session.dispatch("slow/set", ["text": text]).status == 200)
            #expect(try await session.state("/text") == text)
            let outbox = Outbox(session)
            try await outbox.begin()
            let block = Outbox.entry("slow/block")
            try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for _ in 0..<6 { group.addTask { try await outbox.send(from: 1, block) } }
                let refused = try #require(try await group.next())
                #expect(refused.status == 503 && refused.code == "overloaded" && refused["retry-after"] == "1")
                await slow.job.started()
                slow.job.release()
                let answers = try await group.reduce(into: []) { $0 += $1.results }
                #expect(answers.sorted() == ["1 committed"] + Array(repeating: "1 committed again", count: 4))
            }
        }
    }

    @Test("makes few writes: 100 entries do not wait for 100 of them")
    func writes() async throws {
        let name = "outboxes-" + UUID().uuidString
        let disk = try #require(faulty_disk_make(name))
        try await DurableServer().runAPI(vfs: name) { api in
            let outbox = Outbox(try await api.session())
            try await outbox.begin()
            faulty_disk_hold(disk, 1)
            defer { faulty_disk_hold(disk, 0) }
            let before = faulty_disk_syncs(disk)
            let client = try api.client()
            let body = outbox.body(from: 1, Array(repeating: Outbox.increment, count: 100))
            try await client.send(TestRequest("POST", outbox.path + "/sync", json: body).bytes)
            // The loop has run all entries when it answers a later request.
            #expect(try await api.get("/healthz").status == 200)
            faulty_disk_hold(disk, 0)
            #expect(try await client.response().at("/through") == 100)
            #expect(faulty_disk_syncs(disk) - before <= 10)
        }
    }
}
