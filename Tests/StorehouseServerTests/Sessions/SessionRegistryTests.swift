import Foundation
import Journal
import Observability
import RedisJournal
import RedisTesting
import Security
import Sessions
import StoreHosting
import StorehouseServer
import Testing
import Threads

/// Sessions in memory and in a file, without sockets.
@Suite struct SessionRegistryTests {
    private struct Scene {
        /// The monotonic clock.
        let clock: ManualClock
        /// The clock that an operator may set.
        let wall: ManualClock
        let registry: SessionRegistry
        let journal: any Journal
        let events = Counters<SessionEvent>()
        private let builder: SessionBuilder
        private let runtime: KindRuntime

        /// - Parameter earlier: what the process before this one had; nil for the first process.
        init(_ directory: URL, _ redis: RedisServer?, maxResident: Int = 1, after earlier: Scene? = nil) throws {
            clock = earlier?.clock ?? ManualClock()
            wall = earlier?.wall ?? ManualClock()
            let log = Log(level: .error, format: .text, sink: LogLines())
            let clocks = WallClock(now: { [wall] in wall.now }, steady: { [clock] in clock.now })
            if let redis {
                journal = try RedisJournal(
                    RedisAddress("unix://\(redis.socket)"), sealer: AESSealer(key: [UInt8](repeating: 7, count: 32)),
                    node: "node:1", secret: "secret", lease: .seconds(60), waitTimeout: .seconds(Wire.waitTimeout))
            } else {
                journal = try SQLiteJournal(path: directory.appending(path: "storehouse.db").path)
            }
            runtime = KindRuntime(.faulty, clock: SessionClock(clocks), sealer: nil, log: log)
            builder = SessionBuilder([runtime], defaultStore: "faulty", journal, streamEpoch: "", log)
            var policy = SessionPolicy()
            policy.maxResident = maxResident
            registry = SessionRegistry(policy, journal: journal, clock: clocks, events: events)
        }

        /// A new session that is durable.
        func session() async throws -> Session {
            let made = try registry.create { id, now in try builder.create(runtime, id, now: now) }
            let session = try #require(made)
            try await session.release((), upTo: 0).value()
            // The journal calls completions before it is idle again.
            try await waitUntil { if case .now = session.release((), upTo: 0) { true } else { false } }
            return session
        }

        func isEnded(_ session: Session) async -> Bool {
            if case .ended = await registry.end(session) { true } else { false }
        }

        /// Whether the journal has the session, and not as an ended one.
        func isStored(_ session: Session) async throws -> Bool {
            if case .session = try await journal.load("\(session.id)") { return true }
            return false
        }

        /// How often a change in the life of a session was counted.
        func count(_ event: SessionEvent) -> Int? {
            var text = PrometheusWriter()
            events.write("x_total", "X.", "event", into: &text)
            let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
            let line = lines.first { $0.hasPrefix("x_total{event=\"\(event.rawValue)\"}") }
            return line?.split(separator: " ").last.flatMap { Int($0) }
        }

        func isResident(_ session: Session) -> Bool {
            if case .session? = registry.find(session.id) { true } else { false }
        }

        /// Moves all clocks, as time does.
        func pass(_ milliseconds: Int) {
            clock.advance(by: milliseconds)
            wall.advance(by: milliseconds)
        }

        func close() async { await journal.close() }
    }

    private func makeDirectory() throws -> URL {
        let directory = FileManager.default.temporaryDirectory.appending(path: "registry-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    private func run(
        maxResident: Int = 1, onRedis: Bool = false, _ body: (Scene) async throws -> Void
    ) async throws {
        let directory = try makeDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let redis = onRedis ? try RedisServer() : nil
        let scene = try Scene(directory, redis, maxResident: maxResident)
        try await body(scene)
        await scene.close()
        withExtendedLifetime(redis) {}
    }

    @Test func anEndIsDurableWhenItIsReported() async throws {
        try await run { scene in
            let session = try await scene.session()
            #expect(await scene.isEnded(session))
            #expect(try await !scene.isStored(session))
            #expect(!scene.isResident(session))
            // Another request that found the session gets the same result.
            #expect(await scene.isEnded(session))
            #expect(scene.registry.residentCount == 0)
            #expect(SessionEvent.allCases.map(scene.count) == [1, 1, 0, 0, 0])
        }
    }

    /// A deletion that finds a session which hibernates at that moment must not be lost.
    @Test func aSessionThatHibernatedIsNotReportedAsEnded() async throws {
        try await run { scene in
            let session = try await scene.session()
            #expect(session.tryHibernate())
            guard case .detached = await scene.registry.end(session) else {
                Issue.record("a session that has hibernated can be ended")
                return
            }
            #expect(try await scene.isStored(session))
        }
    }

    @Test func theLeastRecentlyUsedHibernates() async throws {
        try await run(maxResident: 2) { scene in
            var sessions: [Session] = []
            for _ in 0..<4 {
                sessions.append(try await scene.session())
                scene.clock.advance(by: 1000)
            }
            scene.registry.touch(sessions[0])
            scene.registry.hibernate()
            #expect(sessions.map(scene.isResident) == [true, false, false, true])
            #expect(sessions[1].continuesElsewhere)
        }
    }

    /// The index may have uses of two minutes too early, so each portion looks at the sessions of two minutes in vain.
    @Test func aSearchByUseGetsOnWithEachPortion() async throws {
        try await run(maxResident: 40) { scene in
            var ids: [SessionID] = []
            for _ in 0..<40 {
                ids.append(try await scene.session().id)
                scene.pass(SessionUse.lag / 12)
            }
            let recent = RecentSessions(scene.registry, scene.journal, readAtOnce: 2)
            let whole = try await recent.next(after: nil, limit: 5, maxLooks: .max) { _, _, _ in true }
            #expect(whole.sessions.map(\.place.id) == Array(ids.reversed().prefix(5)))
            let oldest = ids[0].description
            var (found, place, portions): ([SessionID], UsePlace?, Int) = ([], nil, 0)
            repeat {
                let portion = try await recent.next(after: place, limit: 1, maxLooks: 8) { id, _, _ in id == oldest }
                found += portion.sessions.map(\.place.id)
                (place, portions) = (portion.next, portions + 1)
            } while place != nil && portions < 40
            #expect(found == [ids[0]] && portions <= 6)
        }
    }

    @Test func sessionsThatHibernateUnusedExpireSoon() async throws {
        try await run(maxResident: 1) { scene in
            let (unused, used, woken) = (
                try await scene.session(), try await scene.session(), try await scene.session()
            )
            scene.registry.touch(used)
            scene.clock.advance(by: 1000)
            // The only one that may stay.
            scene.registry.touch(try await scene.session())
            scene.registry.hibernate()
            #expect(!scene.isResident(unused))
            #expect(!scene.isResident(used))
            // A request that needs it loads it.
            scene.registry.insert(woken)
            scene.registry.touch(woken)
            scene.clock.advance(by: 590_000)
            scene.registry.sweep()
            #expect(try await scene.isStored(unused))
            scene.clock.advance(by: 30_000)
            scene.registry.sweep()
            // A session that is not in memory has to be found first.
            try await waitUntil { try await !scene.isStored(unused) }
            #expect(try await scene.isStored(used))
            #expect(try await scene.isStored(woken))
            // Created, ended, expired, hibernated, woken.
            #expect(SessionEvent.allCases.map(scene.count) == [4, 0, 1, 3, 1])
        }
    }

    /// The journal lists sessions in memory too, until it has written their ends.
    @Test func eachExpiredSessionIsCountedOnce() async throws {
        try await run(maxResident: 200) { scene in
            var sessions: [Session] = []
            for _ in 0..<200 { sessions.append(try await scene.session()) }
            for session in sessions { scene.registry.touch(session) }
            scene.clock.advance(by: 86_400_001)
            // Both find the sessions in the journal, which has not written their ends yet.
            for _ in 0..<2 { scene.registry.sweep() }
            for session in sessions { try await waitUntil { try await !scene.isStored(session) } }
            #expect(scene.count(.expired) == 200)
        }
    }

    @Test(arguments: [false, true])
    func sessionsThatAnEarlierProcessLeftUnusedExpireSoon(onRedis: Bool) async throws {
        let directory = try makeDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let redis = onRedis ? try RedisServer() : nil
        let earlier = try Scene(directory, redis, maxResident: 10)
        let (unused, used) = (try await earlier.session(), try await earlier.session())
        earlier.registry.touch(used)
        earlier.registry.recordTime(isLast: true)
        await earlier.close()

        let scene = try Scene(directory, redis, maxResident: 0, after: earlier)
        scene.pass(1000)
        let late = try await scene.session()
        scene.registry.hibernate()
        #expect(late.continuesElsewhere)
        scene.pass(598_000)
        scene.registry.sweep()
        #expect(try await scene.isStored(unused))
        scene.pass(1001)
        scene.registry.sweep()
        try await waitUntil { try await !scene.isStored(unused) }
        #expect(try await scene.isStored(late))
        scene.pass(1000)
        scene.registry.sweep()
        try await waitUntil { try await !scene.isStored(late) }
        #expect(try await scene.isStored(used))
        #expect(scene.count(.expired) == 2)
        await scene.close()
        withExtendedLifetime(redis) {}
    }

    /// The journal learns of a use at most once in an interval, and of the last one when the server stops.
    @Test(arguments: [false, true])
    func theLastUseBeforeAStopCounts(onRedis: Bool) async throws {
        let directory = try makeDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let redis = onRedis ? try RedisServer() : nil
        let earlier = try Scene(directory, redis, maxResident: 10)
        let session = try await earlier.session()
        earlier.registry.touch(session)
        earlier.pass(30_000)
        earlier.registry.touch(session)
        earlier.registry.detachAll()
        earlier.registry.recordTime(isLast: true)
        await earlier.close()

        let scene = try Scene(directory, redis, maxResident: 0, after: earlier)
        scene.pass(86_400_000 - 10_000)
        scene.registry.sweep()
        #expect(try await scene.isStored(session))
        scene.pass(10_001)
        scene.registry.sweep()
        try await waitUntil { try await !scene.isStored(session) }
        await scene.close()
        withExtendedLifetime(redis) {}
    }

    @Test func settingTheWallClockBackEndsNoUnusedSession() async throws {
        try await run(maxResident: 1) { scene in
            scene.wall.advance(by: -86_400_000)
            let (first, second) = (try await scene.session(), try await scene.session())
            scene.registry.hibernate()
            #expect(first.continuesElsewhere != second.continuesElsewhere)
            scene.clock.advance(by: 500_000)
            scene.registry.sweep()
            #expect(try await scene.isStored(first))
            #expect(try await scene.isStored(second))
        }
    }

    /// Several machines have no other clock in common. Another process may refuse the end, so only the journal knows it.
    @Test func sessionsOfASharedJournalExpireByTheWallClock() async throws {
        try await run(onRedis: true) { scene in
            let sessions = [try await scene.session(), try await scene.session()]
            scene.wall.advance(by: 1000)
            for session in sessions { scene.registry.touch(session) }
            scene.registry.hibernate()
            let found = sessions.first { $0.continuesElsewhere }
            let hibernated = try #require(found)
            scene.clock.advance(by: 2 * 86_400_000)
            scene.registry.sweep()
            #expect(try await scene.isStored(hibernated))
            #expect(scene.registry.residentCount == 1)
            scene.wall.advance(by: 2 * 86_400_000)
            scene.registry.sweep()
            // A session that is not in memory has to be found first.
            for session in sessions { try await waitUntil { try await !scene.isStored(session) } }
            #expect(scene.registry.find(hibernated.id) == nil)
            scene.registry.recordTime(isLast: true)
            #expect(scene.journal.timeReference == nil)
        }
    }

    /// A stream on a detached session would never receive a commit.
    @Test func noStreamSubscribesToADetachedSession() async throws {
        try await run { scene in
            let (watched, idle) = (try await scene.session(), try await scene.session())
            #expect(watched.events.phase == .open)
            #expect(watched.tryHibernate())
            #expect(watched.events.phase == .detached)
            // Also if its first stream comes after that.
            #expect(idle.tryHibernate())
            #expect(idle.events.phase == .detached)
        }
    }

    @Test func noStreamSubscribesToAnEndedSession() async throws {
        try await run { scene in
            let session = try await scene.session()
            _ = await scene.registry.end(session)
            #expect(session.events.phase == .ended)
        }
    }

    @Test func sessionsInMemoryAreListedInTheOrderOfTheirIDs() async throws {
        try await run { scene in
            var ids: [SessionID] = []
            for _ in 0..<200 { ids.append(try await scene.session().id) }
            ids.sort { "\($0)".utf8.lexicographicallyPrecedes("\($1)".utf8) }
            var (found, last): ([SessionID], SessionID?) = ([], nil)
            while true {
                let page = scene.registry.list(after: last, limit: 7).map(\.id)
                if page.isEmpty { break }
                found += page
                last = page.last
            }
            #expect(found == ids)
            #expect(scene.registry.list(after: nil, limit: 1000).map(\.id) == ids)
        }
    }
}
