import Foundation
import JSON
import Journal
import Locks
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// An actor is removed while it does all that it may do. Whatever comes first, nothing that it does counts after the removal, and it
/// sees nothing of what comes after.
@Suite("While an actor is removed", .serialized, .timeLimit(.minutes(180)))
struct RemovalRaceTests {
    private enum Attempt: CaseIterable, Sendable {
        case post, batch, dryRun, read, past, log, document, wait, fork, replay, shares, stream, patches

        /// Makes the attempt.
        ///
        /// - Returns: the newest revision that it saw or made; nil if it was refused.
        func run(_ session: ClubSession, round: Int) async throws -> Int? {
            switch self {
            case .post: return try Self.revision(try await session.post(as: "bob", query: "?select=count"))
            case .batch:
                let batch: JSONValue = [ClubSession.post, ClubSession.post]
                return try Self.revision(try await session.post(batch, as: "bob", query: "?select=count"))
            case .dryRun:
                let answer = try await session.post(as: "bob", query: "?select=count&dryRun=true")
                return try Self.revision(answer)
            case .read: return try Self.revision(try await session.send("GET", "/state?select=count", as: "bob"))
            case .past:
                // It is never later than what anybody has seen.
                let answer = try await session.send("GET", "/state?select=count&revision=1", as: "bob")
                return try Self.revision(answer)
            case .log:
                let answer = try await session.send("GET", "/actions?before=1000000&limit=1", as: "bob")
                guard answer.status == 200 else { return try Self.refused(answer) }
                return answer.json["actions"]?[0]?["revision"]?.asInteger
            case .document: return try Self.revision(try await session.send("GET", "", as: "bob"))
            case .wait:
                let answer = try await session.post(
                    ["type": "club/work"], as: "bob", query: "?select=count", [("Prefer", "wait=3600")])
                return try Self.revision(answer)
            case .fork:
                let answer = try await session.send("POST", "/forks", as: "bob", json: [:])
                guard answer.status == 201 else { return try Self.refused(answer) }
                #expect(answer.json["state"]?["rights"]?["bob"] != nil)
                return answer.json["parent"]?["revision"]?.asInteger ?? 0
            case .replay:
                return try Self.revision(
                    try await session.post(as: "bob", query: "?select=count", Self.key(of: round)))
            case .shares:
                let answer = try await session.send("DELETE", "/shares", as: "bob")
                return answer.status == 204 ? 0 : try Self.refused(answer)
            case .stream: return try await Self.follow("?select=count&actions=true", session)
            case .patches: return try await Self.follow("?changes=patch&effects=true", session)
            }
        }

        static func key(of round: Int) -> [(String, String)] { [("Idempotency-Key", "\"\(round)\"")] }

        private static func refused(_ answer: TestResponse) throws -> Int? {
            try #require(answer.status == 403 && answer.code == "forbidden", "\(answer.status) \(answer.text)")
            return nil
        }

        private static func revision(_ answer: TestResponse) throws -> Int? {
            guard answer.status == 200 || answer.status == 204 else { return try refused(answer) }
            guard let revision = answer.revision ?? answer.taggedRevision else {
                throw Wire.Failure.malformed("no revision")
            }
            return revision
        }

        /// Reads a stream to its end.
        private static func follow(_ query: String, _ session: ClubSession) async throws -> Int? {
            let client = try session.server.client()
            try await client.send(session.request("GET", "/events" + query, as: "bob").bytes)
            guard let reader = try? await EventReader(client) else { return nil }
            return try await end(of: reader)
        }

        /// The newest revision that a stream shows before it is revoked.
        static func end(of reader: EventReader) async throws -> Int {
            var newest = 0
            while let event = try await reader.event() {
                if event.name == "closed" {
                    #expect(event.data["reason"] == "revoked")
                    let next = try await reader.event()
                    #expect(next == nil)
                    return newest
                }
                newest = max(newest, event.revision ?? 0)
            }
            throw Wire.Failure.malformed("a stream ended without a reason")
        }
    }

    /// A request of Bob that waits for an effect, which ends at about the time of the removal.
    private struct WaitingRequest {
        private let answer: Task<Int?, any Error>
        private let effect = Promise<Void>()

        init(_ club: ClubKind, _ session: ClubSession, round: Int) async throws {
            club.pause.withLock { [effect] pause in pause = effect }
            let before = try #require(try await session.revision())
            answer = Task { try await Attempt.wait.run(session, round: round) }
            try await waitUntil { try await session.revision() ?? 0 > before }
        }

        func endEffect() { effect.fulfill(()) }

        /// The revision of the answer.
        func revision() async throws -> Int? { try await answer.value }
    }

    /// Makes so many races, some of them in each session, because a session forgets its first revisions at some time.
    ///
    /// - Parameter kibibytes: the size of the state; nil for a small one.
    private static func race(
        _ count: Int, _ club: ClubKind, _ own: ClubSession, _ other: ClubSession, kibibytes: Int? = nil
    ) async throws {
        for start in stride(from: 0, to: count, by: 100) {
            let session = try await ClubSession.make(on: own.server)
            if let kibibytes {
                let fill: JSONValue = ["type": "club/fill", "payload": ["kibibytes": .integer(kibibytes)]]
                #expect(try await session.post(fill, as: "ada", query: "?select=count").status == 200)
            }
            let rounds = min(100, count - start)
            try await race(rounds, club, session, session.at(other.server))
            #expect(try await session.send("DELETE", "", as: "ada").status == 204)
            if count > 500 { print("\(start + rounds) of \(count) races") }
        }
    }

    private static func race(_ rounds: Int, _ club: ClubKind, _ own: ClubSession, _ other: ClubSession) async throws {
        for round in 0..<rounds {
            let rights: AccessRights = [.read, .act, .share]
            let grant = try await own.post(ClubSession.grant(rights, to: "bob"), as: "ada", query: "?select=count")
            #expect(grant.status == 200)
            #expect(try await other.post(as: "bob", query: "?select=count", Attempt.key(of: round)).status == 200)
            let watching = [
                try await other.events("?select=count", as: "bob"), try await other.events("?changes=patch", as: "bob"),
            ]
            for stream in watching { _ = try await stream.state() }
            let waiting = try await WaitingRequest(club, other, round: round)
            let (removal, seen) = try await removal(waiting, own, other, round: round)
            #expect(try #require(try await waiting.revision()) < removal, "a waiting request in round \(round)")
            for (attempt, revision) in seen { #expect(revision ?? 0 < removal, "\(attempt) in round \(round)") }
            for stream in watching { #expect(try await Attempt.end(of: stream) < removal) }
            for attempt in Attempt.allCases where round.isMultiple(of: 8) {
                #expect(try await attempt.run(other, round: round) == nil, "\(attempt) after round \(round)")
            }
            let log = try await own.send("GET", "/actions?after=\(removal - 1)&limit=100", as: "ada")
            let actions = try #require(log.json["actions"]?.asArray)
            #expect(actions.count >= 3 && !actions.contains { $0["actor"]?["id"] == "bob" })
        }
    }

    /// Removes Bob while he makes all attempts at once.
    ///
    /// - Returns: the revision of the removal, and what each attempt has seen.
    private static func removal(
        _ waiting: WaitingRequest, _ own: ClubSession, _ other: ClubSession, round: Int
    ) async throws -> (Int, [(Attempt, Int?)]) {
        let barrier = Barrier(Attempt.allCases.count + 2)
        return try await withThrowingTaskGroup(of: (Attempt, Int?)?.self) { group in
            for attempt in Attempt.allCases {
                group.addTask {
                    await barrier.pass()
                    return (attempt, try await attempt.run(other, round: round))
                }
            }
            group.addTask {
                await barrier.pass()
                waiting.endEffect()
                return nil
            }
            await barrier.pass()
            let answer = try await own.post(ClubSession.grant([], to: "bob"), as: "ada", query: "?select=count")
            let removal = try #require(answer.revision)
            for _ in 0..<2 { #expect(try await own.post(as: "ada", query: "?select=count").status == 200) }
            var seen: [(Attempt, Int?)] = []
            for try await result in group { if let result { seen.append(result) } }
            return (removal, seen)
        }
    }

    /// More of them for a longer search, as script/soak does it.
    private static let count = ProcessInfo.processInfo.environment["TEST_RACES"].flatMap { Int($0) } ?? 300

    private static func club() -> ClubKind {
        let club = ClubKind()
        club.work.fulfill(())
        return club
    }

    @Test("nothing of it counts after the removal, on memory")
    func memory() async throws {
        let club = Self.club()
        try await AccessFunctionTests.run(.memory, club) { try await Self.race(Self.count / 2, club, $0, $1) }
    }

    @Test("nothing of it counts after the removal, on a file")
    func file() async throws {
        let durable = try DurableServer()
        let journal = try SQLiteJournal(path: durable.path)
        let club = Self.club()
        try await LiveServer.run(
            kinds: [club.kind], configuration: ClubSession.configuration(), journal: journal
        ) { server in
            let session = try await ClubSession.make(on: server)
            try await Self.race(Self.count / 5, club, session, session)
        }
    }

    @Test("nothing of it counts after the removal, if the state is large")
    func largeState() async throws {
        let club = Self.club()
        try await AccessFunctionTests.run(.memory, club) {
            $0.sessions.maxStateBytes = 1 << 24
        } _: { session, _ in
            try await Self.race(Self.count / 10, club, session, session, kibibytes: 512)
        }
    }

    @Test("nothing of it counts after the removal, on two nodes")
    func twoNodes() async throws {
        let club = Self.club()
        try await AccessFunctionTests.run(.twoNodes, club) { try await Self.race(Self.count / 5, club, $0, $1) }
    }
}
