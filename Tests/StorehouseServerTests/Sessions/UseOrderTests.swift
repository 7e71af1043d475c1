import JSON
import Observability
import StorehouseServer
import Testing

/// Where the tests keep sessions.
private enum Place: CaseIterable {
    case memory, sqlite, redis

    func run(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: @Sendable (TestAPI) async throws -> Void
    ) async throws {
        let configuration = Configuration.with {
            $0.admin.token = .init("a-token-of-some-length")
            change(&$0)
        }
        if self == .memory { return try await TestAPI.run(configuration: configuration, body) }
        try await DurableServer(onRedis: self == .redis).runAPI(configuration: configuration, body)
    }
}

extension TestServing {
    fileprivate func byUse(_ query: String = "") async throws -> TestResponse {
        try await get(
            "/admin/sessions?order=used" + query, [("Authorization", "Bearer a-token-of-some-length")])
    }

    /// The documents of all pages.
    fileprivate func allByUse(_ query: String = "", limit: Int) async throws -> [JSONValue] {
        var (found, after): ([JSONValue], String?) = ([], "")
        while let cursor = after, found.count < 100 {
            let page = try await byUse("\(query)&limit=\(limit)\(cursor)")
            #expect(page.status == 200)
            found += page[json: "sessions"]?.asArray ?? []
            after = page[json: "next"]?.asString.map { "&after=\($0)" }
        }
        return found
    }
}

extension [JSONValue] {
    fileprivate var ids: [String] { compactMap { $0["id"]?.asString } }

    /// Whether the sessions stand in the order of their last use, and of their ids where that is the same.
    fileprivate var areByUse: Bool {
        let places = compactMap { document in
            document["lastActiveAt"]?.asString.map { (used: $0, id: document["id"]?.asString ?? "") }
        }
        return places.count == count
            && zip(places, places.dropFirst()).allSatisfy { left, right in
                left.used > right.used
                    || left.used == right.used && left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
            }
    }
}

@Suite("The list of sessions by their last use", .serialized, .timeLimit(.minutes(5)))
struct UseOrderTests {
    @Test("has the last used first, in pages, and filters", arguments: Place.allCases)
    private func pages(place: Place) async throws {
        try await place.run { api in
            #expect(try await api.byUse().json == ["sessions": [], "next": nil])
            var sessions: [LiveSession] = []
            for store in ["app", "planner", "app", "planner", "login", "app"] {
                sessions.append(try await api.session(store))
            }
            // A read is a use, like a commit.
            for index in [3, 0, 2] { _ = try await sessions[index].read("/state") }
            _ = try await sessions[2].increment()
            let whole = try await api.allByUse(limit: 100)
            #expect(whole.areByUse && Set(whole.ids) == Set(sessions.map { sessionID($0.path) }))
            for limit in 1...6 { #expect(try await api.allByUse(limit: limit).ids == whole.ids) }
            #expect(whole.first { $0["id"]?.asString == sessionID(sessions[2].path) }?["revision"] == 1)
            let planners = whole.filter { $0["store"] == "planner" }
            #expect(try await api.allByUse("&store=planner", limit: 1) == planners && planners.count == 2)
            let mark = Fingerprint.of(sessionID(sessions[4].path))
            #expect(try await api.allByUse("&mark=\(mark)", limit: 1).ids == [sessionID(sessions[4].path)])
            #expect(try await api.byUse("&owner=nobody").json == ["sessions": [], "next": nil])
            #expect(try await sessions[5].delete().status == 204)
            let rest = try await api.allByUse(limit: 2)
            #expect(!rest.ids.contains(sessionID(sessions[5].path)))
        }
    }

    @Test("is no use, and tells the size of the state", arguments: Place.allCases)
    private func size(place: Place) async throws {
        try await place.run { api in
            let session = try await api.session("planner")
            _ = try await session.dispatch("tasks/add", ["title": "one"])
            let own = try await session.read()
            for list in ["?order=used", ""] {
                let fields = [("Authorization", "Bearer a-token-of-some-length")]
                let shown = try await api.get("/admin/sessions" + list, fields).at("/sessions/0")
                #expect(shown?["stateBytes"] == own.json["stateBytes"] && own.json["stateBytes"] != nil)
                #expect(shown?["lastActiveAt"] == own.json["lastActiveAt"])
            }
        }
    }

    @Test("is refused with another order, or with the cursor of another order")
    func refusals() async throws {
        try await Place.memory.run { api in
            for _ in 0..<2 { _ = try await api.session() }
            let fields = [("Authorization", "Bearer a-token-of-some-length")]
            for order in ["", "id", "Used", "used,id"] {
                let refused = try await api.get("/admin/sessions?order=\(order)", fields)
                #expect(refused.status == 400 && refused.code == "malformed-request")
                #expect(refused.at("/detail")?.asString?.contains("order must be used") == true)
            }
            #expect(try await api.get("/admin/sessions?ordre=used", fields).code == "malformed-request")
            let byUse = try #require(try await api.byUse("&limit=1").json["next"]?.asString)
            let byID = try #require(try await api.get("/admin/sessions?limit=1", fields).json["next"]?.asString)
            #expect(try await api.byUse("&after=\(byUse)").status == 200)
            for wrong in ["?order=used&after=\(byID)", "?after=\(byUse)", "?order=used&after=x", "?order=used&after="] {
                #expect(try await api.get("/admin/sessions" + wrong, fields).code == "malformed-request")
            }
        }
    }

    @Test("shows no session twice while sessions are used, and those that are not used once", arguments: 1..<9)
    func between(stride: Int) async throws {
        let clock = ManualClock()
        let configuration = Configuration.with { $0.admin.token = .init("a-token-of-some-length") }
        let choices = (0..<40).map { ($0 * stride + $0 / 3) % 12 }
        try await TestAPI.run(clock: clock.clock, configuration: configuration) { api in
            var sessions: [LiveSession] = []
            for _ in 0..<12 {
                sessions.append(try await api.session())
                clock.advance(by: 10)
            }
            var (found, used, after, step): ([String], Set<String>, String?, Int) = ([], [], "", 0)
            while let cursor = after {
                let page = try await api.byUse("&limit=2\(cursor)")
                let documents = page[json: "sessions"]?.asArray ?? []
                #expect(documents.areByUse)
                found += documents.ids
                after = page[json: "next"]?.asString.map { "&after=\($0)" }
                for choice in choices[(step * 2)..<(step * 2 + 2)] {
                    clock.advance(by: 10)
                    _ = try await sessions[choice].read("/state")
                    used.insert(sessionID(sessions[choice].path))
                }
                step += 1
            }
            #expect(Set(found).count == found.count)
            #expect(Set(found).union(used) == Set(sessions.map { sessionID($0.path) }))
            // Sessions that were used meanwhile stand at the beginning.
            let again = try await api.allByUse(limit: 5)
            #expect(again.areByUse && again.count == 12 && Set(again.ids.prefix(used.count)) == used)
        }
    }

    @Test("knows the uses of sessions that are not in memory, and of those before a restart")
    func hibernated() async throws {
        let clock = ManualClock()
        let configuration = Configuration.with {
            $0.admin.token = .init("a-token-of-some-length")
            $0.sessions.maxResident = 2
        }
        let durable = try DurableServer()
        let whole = try await durable.runAPI(clock: clock.clock, configuration: configuration) { api in
            var sessions: [LiveSession] = []
            for _ in 0..<8 {
                sessions.append(try await api.session())
                clock.advance(by: 1000)
            }
            for index in [5, 1, 6, 1] {
                _ = try await sessions[index].read("/state")
                clock.advance(by: 1000)
            }
            try await api.hibernates(to: 2)
            let whole = try await api.allByUse(limit: 3)
            #expect(whole.areByUse)
            let order = [1, 6, 5, 7, 4, 3, 2, 0].map { sessionID(sessions[$0].path) }
            #expect(whole.ids == order)
            #expect(whole.allSatisfy { $0["stateBytes"]?.asInteger ?? 0 > 0 })
            return order
        }
        try await durable.runAPI(clock: clock.clock, configuration: configuration) { api in
            let again = try await api.allByUse(limit: 3)
            #expect(again.ids == whole)
        }
    }

    @Test("is the same at each of several nodes")
    func nodes() async throws {
        let configuration = Configuration.with {
            $0.metrics.port = 0
            $0.admin.token = .init("a-token-of-some-length")
        }
        try await TestCluster.run(configuration: configuration) { cluster in
            var sessions: [LiveSession] = []
            for server in [cluster.first, cluster.second, cluster.first, cluster.second] {
                sessions.append(try await server.session())
            }
            for index in [1, 2, 0] { _ = try await sessions[index].increment() }
            let lists = [try await cluster.first.allByUse(limit: 100), try await cluster.second.allByUse(limit: 100)]
            for list in lists { #expect(list.areByUse && list.ids == lists[0].ids && list.count == 4) }
        }
    }
}
