import JSON
import Sessions
import StoreHosting
import StorehouseServer
import StoresTesting
import Testing

/// The action log newest first, in part, and with what each action has changed.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ActionLogQueryTests {
    /// Where the commits of a session are.
    enum Place: CaseIterable, Sendable {
        case memory, sqlite, redis
    }

    private static func run(
        _ place: Place, keepCommits: Int? = nil, _ body: @escaping @Sendable (TestAPI) async throws -> Void
    ) async throws {
        let configuration = Configuration.with {
            if let keepCommits { $0.storage.keepCommits = keepCommits }
            $0.sessions.maxResident = 1
        }
        switch place {
        case .memory: try await TestAPI.run(configuration: configuration, body)
        case .sqlite: try await DurableServer().runAPI(configuration: configuration, body)
        case .redis: try await DurableServer(onRedis: true).runAPI(configuration: configuration, body)
        }
    }

    private static func revisions(_ page: TestResponse) -> [Int] {
        page[json: "actions"]?.asArray?.compactMap { $0["revision"]?.asInteger } ?? []
    }

    private static func commit(_ count: Int, to session: LiveSession) async throws {
        for start in stride(from: 0, to: count, by: 100) {
            let batch = Array(repeating: ["type": "counter/increment"] as JSONValue, count: min(100, count - start))
            #expect(try await session.post(.array(batch)).status == 200)
        }
    }

    @Test(arguments: Place.allCases)
    func pagesBeforeARevisionAreNewestFirst(_ place: Place) async throws {
        try await Self.run(place) { api in
            let session = try await api.session()
            try await Self.commit(250, to: session)
            let pages: [(String, [Int], JSONValue)] = [
                ("?before=251&limit=3", [250, 249, 248], 248), ("?before=4", [3, 2, 1], .null),
                ("?before=1", [], .null), ("?before=0", [], .null),
                ("?before=99999999999999999999&limit=2", [250, 249], 249), ("?before=3&limit=2", [2, 1], .null),
                ("?before=4&limit=2", [3, 2], 2), ("?before=251&limit=250", (1...250).reversed(), .null),
            ]
            for (query, revisions, next) in pages {
                let page = try await session.read("/actions" + query)
                #expect(Self.revisions(page) == revisions, "\(query)")
                #expect(page[json: "next"] == next, "\(query)")
            }
        }
    }

    /// The commits of a session that has left memory, and come back for the question, are those of the storage.
    @Test(arguments: [Place.sqlite, .redis])
    func aSessionThatHibernatesShowsItsNewestActions(_ place: Place) async throws {
        try await Self.run(place) { api in
            let session = try await api.session()
            try await Self.commit(200, to: session)
            let other = try await api.session()
            try await api.hibernates(to: 1)
            #expect(try await Self.revisions(session.read("/actions?before=150&limit=2")) == [149, 148])
            _ = try await other.increment()
            try await api.hibernates(to: 1)
            let page = try await session.read("/actions?before=201&limit=1000&changes=true")
            #expect(Self.revisions(page) == (1...200).reversed())
            #expect(page.at("/actions/0/patch") == [["op": "replace", "path": "/counter/count", "value": 200]])
        }
    }

    @Test func aPageOfEarlierActionsLinksToTheNext() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            try await Self.commit(250, to: session)
            var (revisions, path) = ([Int](), Optional(session.path + "/actions?limit=70&before=251&origin=client&a=b"))
            while let target = path {
                let page = try await api.get(target)
                revisions += Self.revisions(page)
                let next = page["link"]?.wholeMatch(of: /<([^>]+)>; rel="next"/).map { String($0.1) }
                #expect((next == nil) == (page[json: "next"] == .null))
                if let next { #expect(next.contains("limit=70&origin=client&a=b&before=")) }
                path = next
            }
            #expect(revisions == (1...250).reversed())
        }
    }

    @Test(arguments: Place.allCases)
    func actionsBeforeTheOldestThatIsKeptAreGone(_ place: Place) async throws {
        try await Self.run(place, keepCommits: 50) { api in
            let session = try await api.session()
            try await Self.commit(500, to: session)
            let gone = try await api.eventually(TestRequest("GET", session.path + "/actions?before=100")) {
                $0.status == 410
            }
            #expect(gone.code == "revision-gone")
            // The log may be cut once more between two requests.
            try await waitUntil {
                let oldest = try #require(try await session.read("/actions")[json: "oldest"]?.asInteger)
                let page = try await session.read("/actions?before=501&limit=1000")
                return Self.revisions(page) == (oldest...500).reversed() && page[json: "next"] == .null
            }
        }
    }

    @Test(arguments: Place.allCases)
    func actionsAreFoundByTypeAndOrigin(_ place: Place) async throws {
        try await Self.run(place) { api in
            let session = try await api.session()
            try await Self.commit(30, to: session)
            _ = try await session.dispatch("tasks/add", ["title": "one"])
            try await Self.commit(700, to: session)
            _ = try await session.dispatch("tasks/add", ["title": "two"])
            _ = try await session.dispatch("animal/fetchAnimal")
            _ = try await session.dispatch("animal/cancelFetch")
            let pages: [(String, [Int], JSONValue)] = [
                ("?type=tasks/add", [31, 732], .null), ("?type=tasks/add&before=900", [732, 31], .null),
                ("?type=tasks/add&before=900&limit=1", [732], 732), ("?type=tasks/add&limit=1", [31], 31),
                ("?type=tasks/add&after=31&limit=1", [732], .null), ("?type=tasks/add&before=732&limit=1", [31], .null),
                ("?type=tasks/none", [], .null), ("?type=Tasks/add", [], .null), ("?origin=system", [], .null),
                ("?origin=client&before=735&limit=2", [734, 733], 733),
                ("?origin=client&type=tasks/add", [31, 732], .null),
            ]
            for (query, revisions, next) in pages {
                let page = try await session.read("/actions" + query)
                #expect(Self.revisions(page) == revisions, "\(query)")
                #expect(page[json: "next"] == next, "\(query)")
            }
        }
    }

    @Test func onlyActionsWithChangesShowThem() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment(5)
            let patch: JSONValue = [["op": "replace", "path": "/counter/count", "value": 5]]
            #expect(try await session.read("/actions?changes=true").at("/actions/0/patch") == patch)
            #expect(try await session.read("/actions?changes=true&before=2").at("/actions/0/patch") == patch)
            for query in ["", "?changes=false", "?before=2"] {
                let action = try await session.read("/actions" + query).at("/actions/0")
                #expect(
                    action?.asObject?.names == ["revision", "type", "payload", "origin", "actor", "cause", "at"],
                    "\(query)")
            }
        }
    }

    @Test(arguments: [
        ("before=x", "before must be"), ("before=-1", "before must be"), ("before=", "before must be"),
        ("before=3&after=1", "exclude each other"), ("origin=server", "client or middleware or effect or system"),
        ("origin=", "origin must be"), ("type=", "type must be"), ("changes=patch", "true or false"),
        ("before=1&before=2", "twice"), ("befor=1", "Did you mean before"), ("orgin=client", "Did you mean origin"),
        ("refused=yes", "true or false"), ("refused=true&before=3", "exclude each other"),
        ("refused=true&limit=3", "exclude each other"), ("refused=true&type=a/b", "exclude each other"),
    ])
    func aQueryThatMeansNothingIsRefusedWithTheReason(_ query: String, _ reason: String) async throws {
        try await TestAPI.run { api in
            let response = try await api.session().read("/actions?\(query)")
            #expect(response.status == 400 && response.code == "malformed-request")
            #expect(response[json: "detail"]?.asString?.contains(reason) == true, "\(response.text)")
        }
    }

    @Test func anotherNodeShowsTheSamePages() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            for by in 1...3 { _ = try await here.increment(by) }
            for query in ["?before=4&limit=2&changes=true", "?type=counter/increment&before=9", "?refused=true"] {
                let (own, other) = (try await here.read("/actions" + query), try await there.read("/actions" + query))
                #expect(own.status == 200 && own.text == other.text, "\(query)")
                #expect(own["link"] == other["link"], "\(query)")
            }
            #expect(try await Self.revisions(there.read("/actions?before=4&limit=2")) == [3, 2])
        }
    }
}

/// A page of the log that leaves actions out, or is newest first, reads a bounded part of it.
@Suite struct EarlierActionsTests {
    private static func commit(_ revision: Int, _ type: String = "a/b", bytes: Int = 1) -> CommitRecord {
        CommitRecord(
            revision: revision, type: type, payload: ["x": .string(String(repeating: "x", count: bytes))],
            origin: .client, cause: nil, committedAt: 0, changes: EncodedPatch())
    }

    /// Reads a page of a log whose commits have a type and a length, through a journal that returns short portions of them.
    private static func page(
        _ query: ActionLogQuery, newest: Int, deletedThrough: Int = 0, portion: Int = .max,
        _ commit: (Int) -> CommitRecord = { Self.commit($0) }
    ) -> (page: ActionLogPage, reads: Int) {
        var (actions, reads) = (EarlierActions(ActionLogPage(query), newest: newest), 0)
        while let wanted = actions.portion, reads < 100_000 {
            reads += 1
            guard wanted.after >= deletedThrough else {
                actions.wereCut(oldest: deletedThrough + 1)
                continue
            }
            let count = min(wanted.count, portion)
            let isThere = actions.append((wanted.after + 1...wanted.after + count).map(commit))
            #expect(isThere)
        }
        return (actions.page, reads)
    }

    private static func revisions(_ page: ActionLogPage) throws -> [Int] {
        try JSONValue(parsing: page.json)["actions"]?.asArray?.compactMap { $0["revision"]?.asInteger } ?? []
    }

    @Test(arguments: [1, 2, 7, 100, .max])
    func aJournalMayReturnShortPortions(_ portion: Int) throws {
        let (page, _) = Self.page(ActionLogQuery(.before(901), limit: 250), newest: 1000, portion: portion)
        #expect(try Self.revisions(page) == (651...900).reversed())
        #expect(page.next == 651)
    }

    @Test func itBeginsWithTheNewestRevisionThatThereIs() throws {
        let (page, _) = Self.page(ActionLogQuery(.before(.max), limit: 3), newest: 10)
        #expect(try Self.revisions(page) == [10, 9, 8])
        let (none, reads) = Self.page(ActionLogQuery(.before(.max), limit: 3), newest: 0)
        #expect(try Self.revisions(none) == [] && none.next == nil && !none.isGone && reads == 0)
    }

    @Test func itEndsWhereRetentionHasCutTheLog() throws {
        let (page, _) = Self.page(ActionLogQuery(.before(50), limit: 100), newest: 60, deletedThrough: 40)
        #expect(try Self.revisions(page) == (41...49).reversed())
        #expect(page.next == nil && !page.isGone)
        let (gone, _) = Self.page(ActionLogQuery(.before(41), limit: 100), newest: 60, deletedThrough: 40)
        #expect(gone.isGone)
    }

    @Test(arguments: [ActionLogQuery.Start.before(100_001), .after(0)])
    func aPageThatLeavesActionsOutLooksAtABoundedNumberOfThem(_ start: ActionLogQuery.Start) throws {
        let query = ActionLogQuery(start, limit: 10, type: "rare/one")
        let page: ActionLogPage
        if case .before = start {
            page = Self.page(query, newest: 100_000).page
            #expect(page.next == 100_001 - ActionLogPage.maxExamined)
        } else {
            var later = ActionLogPage(query)
            while later.append((1...later.nextCount).map { Self.commit(later.lastRevision + $0) }) {}
            page = later
            #expect(page.next == ActionLogPage.maxExamined)
        }
        #expect(try Self.revisions(page) == [])
        #expect(page.hasMore)
    }

    @Test func aPageThatLeavesActionsOutLooksAtABoundedNumberOfBytes() throws {
        let query = ActionLogQuery(.before(1001), limit: 10, type: "rare/one")
        let (page, _) = Self.page(query, newest: 1000) {
            Self.commit($0, $0 == 999 ? "rare/one" : "a/b", bytes: 100_000)
        }
        #expect(try Self.revisions(page) == [999])
        #expect(try #require(page.next) > 985 && #require(page.next) < 995)
    }

    @Test func aPageIsAtMostOneMebibyteLong() throws {
        let (page, _) = Self.page(ActionLogQuery(.before(1001), limit: 1000), newest: 1000, portion: 3) {
            Self.commit($0, bytes: 50_000)
        }
        let shown = try Self.revisions(page)
        #expect(page.json.count <= 1 << 20 && shown.count == 20)
        #expect(shown == (981...1000).reversed() && page.next == 981)
    }
}
