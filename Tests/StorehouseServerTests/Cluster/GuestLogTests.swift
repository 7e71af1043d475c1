import JSON
import Observability
import Sessions
import StorehouseServer
import Testing

/// The node that a client talks to does not open its share: only the owner of the session knows whom the share names.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct GuestLogTests {
    private static let field = "storehouse-actor"

    @Test func theNodeOfTheClientNamesTheGuestInItsLogAndTellsNobodyElse() async throws {
        let configuration = Configuration.with {
            $0.log.access = .all
            $0.log.format = .json
        }
        try await TestCluster.run(configuration: configuration) { cluster in
            let session = try await cluster.first.session()
            let own = try await session.share(["may": ["read", "act"], "as": ["id": "17 \u{e9}", "name": "Ada"]])
            let share = TestShare.at(cluster.second, own)
            let asked = [("Storehouse-Actor", "?")]
            for answer in [try await share.state(), try await share.state("", asked)] {
                #expect(answer.status == 200 && answer["via"] != nil && answer[Self.field] == nil)
            }
            let refused = try await share.post(["type": "counter/nothing"], "", asked)
            #expect(refused.status == 422 && refused[Self.field] == nil)
            let anonymous = TestShare.at(cluster.second, try await session.share(["may": ["read"]]))
            #expect(try await anonymous.state().status == 200)
            // The nodes have asked each other, too.
            let lines = try cluster.second.log.accessLines().filter {
                $0["route"]?.asString?.hasPrefix("/shared/") == true
            }
            let actors = lines.map { $0["actor"] }
            let mark = JSONValue.string(Fingerprint.of("guest:17 \u{e9}"))
            #expect(actors == [mark, mark, mark, nil])
            let client = try cluster.second.client()
            try await client.send(TestRequest("GET", share.path + "/events", asked).bytes)
            let head = try await client.head()
            #expect(head.status == 200 && head[Self.field] == nil)
            // A client of the owner gets no such field either.
            let direct = try await own.state("", asked)
            #expect(direct.status == 200 && direct[Self.field] == nil)
        }
    }
}
