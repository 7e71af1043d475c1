import JSON
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// The action log: every commit once, oldest first, a page at a time.
@Suite struct ActionLogTests {
    @Test func everyCommitIsListedWithItsOriginAndCause() async throws {
        let clock = ManualClock(1_700_000_000_000)
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote, clock: clock.clock) { api in
            let session = try await api.session()
            _ = try await session.increment(5)
            _ = try await session.dispatch("betslip/placeBet")
            _ = try await session.dispatch("animal/ackError")
            clock.advance(by: 1500)
            remote.reply(#"{"animal":"Cat"}"#)
            _ = try await session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=3600")])
            let log = try await session.read("/actions")
            #expect(log.status == 200)
            #expect(log.json.asObject?.names == ["actions", "next"])
            #expect(log[json: "next"] == .null)
            let expected: JSONValue = [
                [
                    "revision": 1, "type": "counter/increment", "payload": ["by": 5], "origin": "client",
                    "actor": ["kind": "anonymous", "roles": []], "cause": .null, "at": "2023-11-14T22:13:20.000Z",
                ],
                [
                    "revision": 2, "type": "animal/fetchAnimal", "payload": [:], "origin": "client",
                    "actor": ["kind": "anonymous", "roles": []], "cause": .null, "at": "2023-11-14T22:13:21.500Z",
                ],
                [
                    "revision": 3, "type": "animal/setCurrentAnimal", "payload": ["animal": "Cat"],
                    "origin": "effect", "cause": 2, "at": "2023-11-14T22:13:21.500Z",
                ],
            ]
            #expect(log[json: "actions"] == expected)
        }
    }

    /// A title may be one character of many bytes, so a page of few commits may be long.
    @Test func aLongPageEndsEarlyAndTheNextGoesOn() async throws {
        let configuration = Configuration.with {
            $0.http.maxBodyBytes = 1 << 20
            $0.sessions.maxStateBytes = 1 << 28
        }
        try await TestAPI.run(configuration: configuration) { api in
            let session = try await api.session("planner")
            for _ in 0..<8 { #expect(try await session.post(.longTasks(50)).status == 200) }
            var (revisions, next, pages) = ([Int](), 0, 0)
            while true {
                let page = try await session.read("/actions?limit=1000&after=\(next)")
                #expect(page.body.count <= 1 << 20)
                revisions += page[json: "actions"]?.asArray?.compactMap { $0["revision"]?.asInteger } ?? []
                pages += 1
                guard let more = page[json: "next"]?.asInteger else { break }
                #expect(more == revisions.last)
                next = more
            }
            #expect(revisions == Array(1...400))
            #expect(pages >= 2)
        }
    }

    @Test func pagesAreConsecutive() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
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
        try await TestAPI.run { api in
            let response = try await api.session().read("/actions?\(query)")
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
        }
    }

    @Test func revisionsBeyondRetentionAreGone() async throws {
        try await TestAPI.run(configuration: .with { $0.storage.keepCommits = 10 }) { api in
            let session = try await api.session()
            _ = try await session.post(.array(Array(repeating: ["type": "counter/increment"], count: 100)))
            let gone = try await session.read("/actions")
            #expect(gone.code == "revision-gone")
            #expect(gone[json: "oldest"] == 91)
            let kept = try await session.read("/actions?after=90")
            #expect(kept[json: "actions"]?.asArray?.count == 10)
        }
    }

    /// The link of each page is the request for the next.
    @Test(arguments: ["", "?limit=7", "?after=0&limit=7&trace=a%20b", "?limit=7&after=0"])
    func aPageLinksToTheNext(_ query: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let batch = JSONValue.array(Array(repeating: ["type": "counter/increment"], count: 50))
            for _ in 0..<5 { _ = try await session.post(batch) }
            var (revisions, path) = ([Int](), Optional(session.path + "/actions" + query))
            while let target = path, revisions.count < 1000 {
                let page = try await api.get(target)
                revisions += page[json: "actions"]?.asArray?.compactMap { $0["revision"]?.asInteger } ?? []
                let next = page["link"]?.wholeMatch(of: /<([^>]+)>; rel="next"/).map { String($0.1) }
                #expect((next == nil) == (page[json: "next"] == .null))
                if query.contains("trace"), let next { #expect(next.contains("limit=7&trace=a%20b&after=")) }
                path = next
            }
            #expect(revisions == Array(1...250))
        }
    }

    @Test(arguments: [false, true])
    func aLogThatWasCutNamesItsOldestRevision(_ isDurable: Bool) async throws {
        let body: @Sendable (TestAPI) async throws -> Void = { api in
            let session = try await api.session()
            let batch = JSONValue.array(Array(repeating: ["type": "counter/increment"], count: 100))
            for _ in 0..<10 { _ = try await session.post(batch) }
            // With a database the log is cut in the background, until it has no more than twice as many commits as it keeps.
            let gone = try await api.eventually(TestRequest("GET", session.path + "/actions")) {
                $0.status == 410 && ($0[json: "oldest"]?.asInteger ?? 0) > 800
            }
            #expect(gone.code == "revision-gone")
            // The log may be cut once more between two requests.
            try await waitUntil {
                let oldest = try #require(try await session.read("/actions")[json: "oldest"]?.asInteger)
                #expect(oldest <= 901)
                let log = try await session.read("/actions?after=\(oldest - 1)")
                let state = try await session.read("/state?revision=\(oldest)")
                return log.at("/actions/0/revision") == .integer(oldest) && state.revision == oldest
            }
        }
        let configuration = Configuration.with { $0.storage.keepCommits = 100 }
        if isDurable {
            try await DurableServer().runAPI(configuration: configuration, body)
        } else {
            try await TestAPI.run(configuration: configuration, body)
        }
    }
}

/// A page of the log ends at a number of commits or of bytes.
@Suite struct ActionLogPageTests {
    private func commits(_ revisions: ClosedRange<Int>, bytes: Int = 1) -> [CommitRecord] {
        revisions.map { revision in
            CommitRecord(
                revision: revision, type: "a/b", payload: ["x": .string(String(repeating: "x", count: bytes))],
                origin: .client, cause: nil, committedAt: 0, changes: EncodedPatch())
        }
    }

    private func revisions(_ page: ActionLogPage) throws -> [Int] {
        try JSONValue(parsing: page.json)["actions"]?.asArray?.compactMap { $0["revision"]?.asInteger } ?? []
    }

    @Test func aPageIsFilledInPortions() throws {
        var page = ActionLogPage(ActionLogQuery(.after(10), limit: 150))
        #expect(page.lastRevision == 10 && page.nextCount == 101)
        #expect(page.append(commits(11...111)) == true)
        #expect(page.lastRevision == 111 && page.nextCount == 50)
        #expect(page.append(commits(112...161)) == false)
        #expect(page.hasMore && page.lastRevision == 160)
        #expect(try revisions(page) == Array(11...160))
        #expect(try JSONValue(parsing: page.json)["next"] == 160)
    }

    @Test func aLogThatEndsHasNoNextPage() throws {
        var page = ActionLogPage(ActionLogQuery(.after(0), limit: 100))
        #expect(page.append(commits(1...100)) == true)
        #expect(page.append([]) == false)
        #expect(!page.hasMore)
        #expect(try JSONValue(parsing: page.json)["next"] == .null)
        var empty = ActionLogPage(ActionLogQuery(.after(7), limit: 1))
        #expect(empty.append([]) == false)
        #expect(!empty.hasMore && !empty.isGone)
    }

    @Test(arguments: [60_000, 10_320, 10_321, 33_333, 524_000])
    func aPageIsAtMostOneMebibyteLong(bytes: Int) throws {
        var page = ActionLogPage(ActionLogQuery(.after(0), limit: 1000))
        #expect(page.append(commits(1...102, bytes: bytes)) == false)
        #expect(page.hasMore)
        #expect(page.json.count <= 1 << 20 && page.json.count + page.json.count / page.lastRevision >= 1 << 20)
        #expect(try revisions(page) == Array(1...page.lastRevision))
    }

    @Test func aCommitThatIsLongerThanAPageIsAPage() throws {
        var long = ActionLogPage(ActionLogQuery(.after(0), limit: 1000))
        #expect(long.append(commits(1...2, bytes: 3 << 20)) == false)
        #expect(long.hasMore && long.lastRevision == 1)
        #expect(try revisions(long) == [1])
    }

    @Test func retentionBeforeAPageIsAProblemAndBehindItIsItsEnd() {
        var gone = ActionLogPage(ActionLogQuery(.after(3), limit: 10))
        #expect(gone.append(nil) == false)
        #expect(gone.isGone)
        var cut = ActionLogPage(ActionLogQuery(.after(0), limit: 1000))
        #expect(cut.append(commits(1...101)) == true)
        #expect(cut.append(nil) == false)
        #expect(!cut.isGone && cut.hasMore && cut.lastRevision == 101)
    }
}
