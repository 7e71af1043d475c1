import Foundation
import JSON
import Journal
import RemoteServices
import StoreHosting
import StoreKinds
import StorehouseServer
import StorehouseTesting
import StoresTesting
import Testing

/// A server in the process of a test, as users start it.
@Suite(.timeLimit(.minutes(10))) struct TestServerTests {
    @Test func aServerWithAScriptedServiceIsTestedInFiveLines() async throws {
        let quotes = ScriptedRemoteClient()
        quotes.reply(#"{"text":"The engine weaves."}"#)
        try await TestServer.run([QuoteHall.kind], upstreams: ["quotes": quotes]) { server in
            let session = try await server.createSession()
            let answer = try await server.dispatch(["type": "hall/ask"], to: session, waitingForEffects: true)
            #expect(try answer.text(at: "state", "quote") == "The engine weaves.")
        }
        #expect(quotes.requests.map(\.target) == ["/random"])
    }

    @Test func aSecondServerOnTheFileContinuesTheSessions() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "test-server-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "hall.db").path
        let quotes = ScriptedRemoteClient()
        quotes.reply(#"{"deep":"Kept."}"#)
        let session = try await TestServer.run(
            [QuoteHall.kind], upstreams: ["quotes": quotes], settings: ["quotes": ["place": "/deep"]],
            storage: .sqlite(file)
        ) { server in
            let session = try await server.createSession("hall")
            _ = try await server.dispatch(["type": "hall/ask"], to: session, waitingForEffects: true)
            return session
        }
        try await Self.whenClosed {
            try await TestServer.run([QuoteHall.kind], upstreams: ["quotes": quotes], storage: .sqlite(file)) {
                let state = try await $0.send("GET", session + "/state")
                #expect(try state.text(at: "state", "quote") == "Kept.")
                #expect(try await $0.send("GET", session + "/actions").json()["actions"]?.asArray?.count == 2)
            }
        }
    }

    /// A server drains for two seconds at most. On a slow machine its file may be closed a little later.
    static func whenClosed(_ body: () async throws -> Void) async throws {
        while true {
            do {
                return try await body()
            } catch StorageError.inUse {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test func aServiceWithADemoNeedsNoScript() async throws {
        try await TestServer.run(StoreKind.all) { server in
            let session = try await server.createSession("animal")
            let fetch: JSONValue = ["type": "animal/fetchAnimal"]
            let answer = try await server.dispatch(fetch, to: session, waitingForEffects: true)
            #expect(try answer.json()["state"]?["animal"]?["error"] == .null)
            #expect(try answer.text(at: "state", "animal", "currentAnimal").count > 2)
        }
    }

    @Test func usersSendRequestsWithTokensOfTheirOwn() async throws {
        try await TestServer.run(StoreKind.all, configuration: ["access": ["mode": "token"]]) { server in
            let (ada, bob) = (server.as(.user("ada", name: "Ada", roles: ["cashier"])), server.as(.user("bob")))
            let session = try await ada.createSession("planner")
            let add: JSONValue = ["type": "tasks/add", "payload": ["title": "Tea"]]
            #expect(try await ada.dispatch(add, to: session).status == 200)
            #expect(try await bob.dispatch(add, to: session).status == 403)
            #expect(try await server.dispatch(add, to: session).status == 401)
            let actor = try await ada.send("GET", session + "/actions").json()["actions"]?.asArray?.first?["actor"]
            #expect(actor == ["kind": "user", "id": "ada", "name": "Ada", "roles": ["cashier"]])
        }
    }

    @Test func namesThatDoNotFitTheKindsAreRefused() async {
        let lines = await #expect(throws: ConfigurationError.self) {
            try await TestServer.run([QuoteHall.kind], upstreams: ["quote": ScriptedRemoteClient()]) { _ in }
        }
        #expect(
            lines?.description.split(separator: "\n") == [
                "upstreams.quote: is declared by no store kind",
                "upstreams.quotes: has no demo; pass a client, such as a ScriptedRemoteClient",
            ])
    }
}
