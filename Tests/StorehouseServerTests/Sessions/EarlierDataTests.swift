import Foundation
import JSON
import Journal
import Observability
import RedisTesting
import ServerWiring
import Sessions
import StoreHosting
import StoreKinds
import StorehouseServer
import Testing

/// Data that `Tests/EarlierData/write` wrote with an earlier release, and what that release answered.
private struct EarlierData {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "EarlierData/35f4d253")

    private static let key = Data(0..<32).base64EncodedString()

    /// The members of `expected.json` about one storage.
    let answers: JSONValue
    let sessions: [JSONValue]

    init(_ storage: String) throws {
        let all = try JSONValue(parsing: Array(Data(contentsOf: Self.folder.appending(path: "expected.json"))))
        answers = try #require(all[storage])
        sessions = try #require(answers["sessions"]?.asArray)
    }

    /// A moment at which the keys and shares of the data are still valid.
    var clock: WallClock {
        let moment = (answers["at"]?.asInteger ?? 0) + 1000
        return WallClock { moment }
    }

    static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        .with {
            $0.storage.key = SealingKey(key)
            change(&$0)
        }
    }

    static func text(_ value: JSONValue, _ name: String) throws -> String { try #require(value[name]?.asString) }

    /// Whether the sessions are complete, their keys replay, and their shares open them.
    ///
    /// - Parameters:
    ///   - sameHistory: whether the revisions are those that clients know; not so in a backup.
    ///   - hasKeys: whether the keys and endings are young enough to be remembered; not so by the clock of Redis.
    func expect(_ api: any TestServing, sameHistory: Bool = true, hasKeys: Bool = true) async throws {
        for session in sessions {
            let path = try Self.text(session, "path")
            let state = try await api.get(path + "/state")
            #expect(state.status == 200 && state.json == session["state"], "\(path): \(state.text)")
            #expect((state["etag"] == session["etag"]?.asString) == sameHistory)
            let log = try await api.get(path + "/actions?limit=1000")
            #expect(try log.json["actions"] == Self.logToday(session), "\(path): \(log.text)")
            try await expectShares(api, session)
            if hasKeys { try await expectReplays(api, session, sameHistory: sameHistory) }
        }
        if hasKeys { #expect(try await api.get(Self.text(answers, "ended")).status == 410) }
    }

    /// The log as that release showed it, with the senders that this release adds.
    private static func logToday(_ session: JSONValue) throws -> JSONValue {
        let entries = try #require(session["log"]?.asArray)
        return .array(
            entries.map { entry in
                guard entry["origin"] == "client", var members = entry.asObject else { return entry }
                members["actor"] = ["kind": "anonymous", "roles": []]
                return .object(members)
            })
    }

    private func expectReplays(_ api: any TestServing, _ session: JSONValue, sameHistory: Bool) async throws {
        let repeats = try #require(session["repeats"]?.asArray)
        #expect(!repeats.isEmpty)
        for repeated in repeats {
            let fields = [("Idempotency-Key", try Self.text(repeated, "key")), ("Content-Type", "application/json")]
            let body = Array(try Self.text(repeated, "body").utf8)
            let answer = try await api.send(
                TestRequest("POST", Self.text(session, "path") + "/actions", fields, body: body))
            #expect(answer.json == repeated["answer"], "\(answer.text)")
            #expect(answer["idempotency-replayed"] == "true")
            #expect((answer["etag"] == repeated["etag"]?.asString) == sameHistory)
        }
    }

    private func expectShares(_ api: any TestServing, _ session: JSONValue) async throws {
        let shares = try #require(session["shares"]?.asArray)
        #expect(shares.count == 2)
        for share in shares {
            let state = try await api.get("/shared/" + Self.text(share, "share") + "/state")
            #expect(state.json == session["state"], "\(state.text)")
        }
    }

    /// Whether shares of the earlier release act with keys of their own, are in no list, outlive the revocation of others, and are
    /// revoked with all.
    func expectRevocableShares(_ api: any TestServing) async throws {
        for session in try #require(answers["sessions"]?.asArray) where session["store"] == "app" {
            let path = try Self.text(session, "path")
            let shares = try #require(session["shares"]?.asArray).map { try Self.text($0, "share") }
            let action: JSONValue = ["type": "counter/increment"]
            let key = [("Idempotency-Key", "\"of a share\"")]
            let first = try await api.post("/shared/\(shares[1])/actions", key, json: action)
            let second = try await api.post("/shared/\(shares[1])/actions", key, json: action)
            #expect(first.status == 200 && second["idempotency-replayed"] == "true")
            #expect(try await api.post("/shared/\(shares[0])/actions", json: action).status == 403)
            #expect(try await api.get(path + "/shares").json == ["shares": []])
            let new = try await api.post(path + "/shares", json: [:])
            let id = try #require(new.json["id"]?.asString)
            #expect(try await api.delete(path + "/shares/" + id).status == 204)
            for share in shares { #expect(try await api.delete(path + "/shares/" + share).status == 404) }
            for share in shares { #expect(try await api.get("/shared/\(share)/state").status == 200) }
            #expect(try await api.delete(path + "/shares").status == 204)
            for share in shares { #expect(try await api.get("/shared/\(share)/state").code == "no-such-share") }
        }
    }

    /// Whether the subjects find their own sessions.
    func expectOwners(_ api: any TestServing) async throws {
        let mine = try #require(answers["mine"]?.asArray)
        #expect(mine.count == 2)
        for session in mine {
            let state = try await api.send("GET", "/sessions/me/state", as: Self.text(session, "subject"))
            #expect(state.json == session["state"], "\(state.text)")
            // The old commits do not name their senders.
            let log = try await api.send("GET", "/sessions/me/actions", as: Self.text(session, "subject"))
            let entries = try #require(log.json["actions"]?.asArray)
            #expect(entries.contains { $0["origin"] == "client" } && entries.allSatisfy { $0["actor"] == nil })
            let list = try await api.send("GET", "/sessions?role=owner", as: Self.text(session, "subject"))
            let own = try await api.send("GET", "/sessions/me", as: Self.text(session, "subject"))
            #expect(list.json["sessions"]?.asArray?.contains { $0["id"] == own.json["id"] } == true, "\(list.text)")
            let joined = try await api.listed(of: Self.text(session, "subject"), ["role=member"])
            #expect(joined.isEmpty)
        }
    }
}

extension DurableServer {
    /// Copies files of an earlier release to where this server has its database.
    fileprivate func copy(_ name: String, suffixes: [String]) throws {
        for suffix in suffixes {
            let file = EarlierData.folder.appending(path: name + suffix)
            try FileManager.default.copyItem(at: file, to: URL(filePath: path + suffix))
        }
    }
}

@Suite("Data of an earlier release", .timeLimit(.minutes(5)))
struct EarlierDataTests {
    private static func run(
        _ durable: DurableServer, _ data: EarlierData, inTokenMode: Bool = false,
        _ body: (TestAPI) async throws -> Void
    ) async throws {
        var configuration = EarlierData.configuration()
        if inTokenMode {
            configuration = TestTokens.configuration { $0.storage.key = configuration.storage.key }
        }
        let journal = try await durable.open { try SQLiteJournal(path: $0, vfs: nil, now: data.clock.now) }
        try await TestAPI.run(
            clock: data.clock, configuration: configuration, journal: journal,
            sealer: try configuration.storage.sealer(), body)
    }

    @Test("opens as a killed server left it, with keys, shares and owners")
    func database() async throws {
        let data = try EarlierData("file")
        let durable = try DurableServer()
        try durable.copy("database", suffixes: ["", "-wal"])
        try await Self.run(durable, data) { api in
            try await data.expect(api)
            try await data.expectRevocableShares(api)
        }
        #expect(try SQLiteStorage.verify(durable.path).problems.isEmpty)
        try await Self.run(durable, data, inTokenMode: true) { try await data.expectOwners($0) }
    }

    @Test("opens from a backup, in a new history")
    func backup() async throws {
        let data = try EarlierData("file")
        let durable = try DurableServer()
        try durable.copy("backup", suffixes: [""])
        try await Self.run(durable, data) { try await data.expect($0, sameHistory: false) }
        try await Self.run(durable, data, inTokenMode: true) { try await data.expectOwners($0) }
    }

    @Test("opens from exported sessions")
    func exports() async throws {
        let data = try EarlierData("file")
        let durable = try DurableServer()
        let lines = try String(contentsOf: EarlierData.folder.appending(path: "exports.jsonl"), encoding: .utf8)
        for line in lines.split(separator: "\n") {
            _ = try SQLiteStorage.insert(Array(line.utf8), into: durable.path, as: nil)
        }
        try await Self.run(durable, data) { api in
            for session in data.sessions {
                let state = try await api.get(EarlierData.text(session, "path") + "/state")
                #expect(state.json == session["state"], "\(state.text)")
            }
        }
    }

    @Test("opens on Redis")
    func redis() async throws {
        let data = try EarlierData("redis")
        let redis = try RedisServer(appendOnlyFile: EarlierData.folder.appending(path: "redis"))
        for isTokenMode in [false, true] {
            let configuration = EarlierData.configuration {
                $0.storage.kind = .redis
                $0.storage.redis.url = "unix://\(redis.socket)"
                $0.cluster.address = "127.0.0.1:1"
                $0.cluster.secret = Secret(String(repeating: "c", count: 32))
                $0.cluster.lease = .seconds(60)
                if isTokenMode { $0.access = TestTokens.configuration().access }
            }
            let journal = try configuration.journal(Log(level: .error, format: .text, sink: LogLines()))
            try await TestAPI.run(
                clock: data.clock, configuration: configuration, journal: journal,
                sealer: try configuration.storage.sealer()
            ) { api in
                if isTokenMode {
                    try await data.expectOwners(api)
                } else {
                    try await data.expect(api, hasKeys: false)
                    try await data.expectRevocableShares(api)
                }
            }
        }
    }
}
