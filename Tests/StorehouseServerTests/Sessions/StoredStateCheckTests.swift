import JSON
import Journal
import Observability
import ProcessTesting
import Sessions
import StoreHosting
import StoreKinds
import StorehouseServer
import Stores
import Testing

/// Stored sessions that do not fit a new release of the program.
@Suite struct StoredStateCheckTests {
    private struct Old: Sendable { var settings = 7 }
    private struct Some: Sendable { var note = "" }

    /// Kinds with the name of one that the program of this project hosts. Its `settings` are an object.
    private static let old = StoreDefinition("planner", "Other settings.", Old()) {
        Member("settings", \.settings)
        Action("brighten", "Counts.") { $0.settings += 1 }
    }.kind
    private static let some = StoreDefinition("planner", "No settings.", Some()) {
        Member("note", \.note)
        Action("reset", "Resets.") { $0.note = "a" }
    }.kind
    private static let foreign = StoreDefinition("foreign", "A store of another program.", Some()) {
        Member("note", \.note)
        Action("reset", "Resets.") { $0.note = "a" }
    }.kind

    /// Stores sessions of a kind, and returns the path of the last one.
    private static func fill(
        _ durable: DurableServer, _ kind: StoreKind, _ action: String?, store: String = "planner"
    ) async throws -> String {
        try await durable.runAPI(kinds: [kind]) { api in
            var path = ""
            for _ in 0..<3 {
                let session = try await api.session(store)
                if let action { _ = try await session.dispatch(action, [:]) }
                path = session.path
            }
            return path
        }
    }

    @Test(arguments: [false, true])
    func theStartOfAProgramNamesTheMemberAndServes(onRedis: Bool) async throws {
        let durable = try DurableServer(onRedis: onRedis)
        let path = try await Self.fill(durable, Self.old, "planner/brighten")
        try await durable.run { server in
            try await server.log.line(with: "stored sessions do not fit")
            try await server.log.line(with: "/settings must be an object")
            let line = server.log.text.split(separator: "\n").first { $0.contains("do not fit") } ?? ""
            #expect(line.contains(" error "))
            #expect(line.contains(#"store=planner sessions="3 of 3 that were read" session="#))
            #expect(line.contains("revision=1 "))
            #expect(try await server.send(TestRequest("GET", path + "/state")).status == 500)
            #expect(try await server.session("planner").dispatch("settings/update", ["theme": "dark"]).status == 200)
        }
    }

    @Test func aStateThatLacksMembersFits() async throws {
        let durable = try DurableServer()
        _ = try await Self.fill(durable, Self.some, "planner/reset")
        let journal = try await durable.open()
        let lines = LogLines()
        let log = Log(level: .debug, format: .text, sink: lines)
        let clock = SessionClock(WallClock())
        let kinds = StoreKind.all.map { KindRuntime($0, clock: clock, sealer: nil, log: log) }
        await StoredStateCheck(journal, kinds, log).run()
        #expect(lines.text.isEmpty)
        await journal.close()
    }

    @Test func theOlderProgramIsNotToldToMigrate() async throws {
        let newer = StoreDefinition("planner", "A note.", Some(), migrations: [.raw { _, _ in }]) {
            Member("note", \.note)
            Action("reset", "Resets.") { $0.note = "a" }
        }.kind
        let durable = try DurableServer()
        let path = try await Self.fill(durable, newer, "planner/reset")
        try await durable.runAPI(kinds: [Self.some]) { api in
            let detail = try await api.get(path + "/state").json["detail"]?.asString ?? ""
            #expect(detail.hasSuffix("but this program knows schemas up to 1 only."))
            let line = try #require(api.log.text.split(separator: "\n").first { $0.contains("session cannot be read") })
            #expect(line.contains("Run the newer program, or restore a backup that this one has made."))
        }
        let journal = try await durable.open()
        let lines = LogLines()
        let log = Log(level: .debug, format: .text, sink: lines)
        let kind = KindRuntime(Self.some, clock: SessionClock(WallClock()), sealer: nil, log: log)
        await StoredStateCheck(journal, [kind], log).run()
        #expect(lines.text.contains("cannot be loaded; run the newer program, or restore a backup store=planner"))
        await journal.close()
    }

    @Test(arguments: [false, true])
    func verifyAndMigrateNameTheMember(onRedis: Bool) async throws {
        let durable = try DurableServer(onRedis: onRedis)
        _ = try await Self.fill(durable, Self.old, "planner/brighten")
        let verified = try await durable.command(["verify"])
        #expect(verified.status == 1)
        #expect(verified.output.contains("3 sessions with 3 commits are intact"))
        #expect(
            verified.errors.contains(": the store 'planner' cannot read it: in the persisted state, /settings "),
            "\(verified.errors)")
        #expect(verified.errors.contains("a definition lacks a migration"))
        let inJSON = try await durable.command(["verify", "--json"])
        #expect(inJSON.status == 1)
        #expect(try inJSON.json["intact"] == false && inJSON.json["damagedSessions"] == 0)
        #expect(try inJSON.json["problems"]?.asArray?.count == 3)
        let checked = try await durable.command(["migrate", "--check"])
        #expect(checked.status == 1)
        #expect(checked.errors.split(separator: "\n").count == 4)
        #expect(checked.errors.contains("/settings must be an object"))
        #expect(checked.errors.hasSuffix(": this program cannot load 3 of 3 sessions\n"), "\(checked.errors)")
    }

    /// Without its key the secrets of a state are not read, so the check would say nothing of them.
    @Test(arguments: [false, true], [["verify"], ["migrate", "--check"]])
    func aBrokenConfigurationIsTold(onRedis: Bool, _ command: [String]) async throws {
        let durable = try DurableServer(onRedis: onRedis)
        _ = try await Self.fill(durable, Self.some, nil)
        let refused = try await durable.command(command, settings: ["key": "short"])
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.errors.contains("storage.key"), "\(refused.errors)")
    }

    @Test(arguments: [false, true])
    func aStorageThatFitsIsSaidToFit(onRedis: Bool) async throws {
        let durable = try DurableServer(onRedis: onRedis)
        _ = try await Self.fill(durable, Self.some, nil)
        #expect(try await durable.command(["verify"]).status == 0)
        let checked = try await durable.command(["migrate", "--check"])
        #expect(checked.status == 0 && checked.errors.isEmpty, "\(checked.errors)")
        #expect(checked.output == "\(durable.name): this program can load 3 of 3 sessions\n")
        let inJSON = try await durable.command(["migrate", "--check", "--json"])
        #expect(try inJSON.json == ["fit": true, "sessions": 3, "otherStores": 0, "problems": []])
        _ = try await Self.fill(durable, Self.foreign, nil, store: "foreign")
        let others = try await durable.command(["migrate", "--check"])
        #expect(others.status == 0)
        #expect(others.errors == "\(durable.name): 3 sessions have stores that this program does not host\n")
        #expect(others.output == "\(durable.name): this program can load 3 of 3 sessions\n")
        let unchecked = try await durable.command(["migrate"])
        #expect(unchecked.status == 2)
        #expect(unchecked.errors.contains("a session is migrated when a server loads it; --check reads all of them"))
    }
}
