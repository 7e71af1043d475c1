import CommandLine
import ServerWiring
import StoreHosting
import StorehouseServer
import Testing

@Suite struct GreetingTests {
    private struct Count: Sendable { var count = 0 }

    private static func kind(_ name: String, _ type: String) -> StoreKind {
        StoreDefinition(name, "Counts.", Count()) {
            Member("count", \.count)
            Action(type, "Counts.", .integer("by", 1...9)) { $0.count += $1 }
        }.kind
    }

    private static let app = kind("app", "counter/increment")

    private static func text(
        program: String = "storehouse", url: String = "http://127.0.0.1:8080", kinds: [StoreKind] = [app],
        _ change: (inout Configuration) -> Void = { _ in }
    ) -> String {
        var configuration = StorehouseConfiguration()
        change(&configuration.server)
        return Greeting(program: program, url: url, configuration, kinds: kinds).text
    }

    @Test func aNewServerSaysWhereEverythingIs() {
        #expect(
            Self.text() == """

                Storehouse \(StorehouseVersion.current)

                  Storage    memory: all data is gone when the process ends; --set storage.kind=sqlite keeps it in a file
                  Inspector  http://127.0.0.1:8080/
                  API        http://127.0.0.1:8080/openapi.json
                  Try        storehouse send http://127.0.0.1:8080 counter/increment by=2 --store app

                Ctrl-C ends it.

                """)
    }

    @Test func theStorageSaysWhatItMeansForTheData() {
        for (kind, durability, text) in [
            (Configuration.Storage.Kind.sqlite, Configuration.Storage.Durability.full, "outlives a power failure"),
            (.sqlite, .relaxed, "SQLite file storehouse.db: a power failure may take the last changes"),
            (.redis, .full, "Redis, shared by all nodes: what is acknowledged"),
            (.redis, .relaxed, "a failure of Redis may"),
        ] {
            let found = Self.text {
                $0.storage.kind = kind
                $0.storage.durability = durability
            }
            #expect(found.contains(text))
        }
    }

    @Test(arguments: [
        ("./my server", "'./my server' send"), (".build/debug/storehouse", ".build/debug/storehouse send"),
        ("it's", #"'it'\''s' send"#),
    ])
    func theShellCanCallTheProgramAgain(program: String, call: String) {
        #expect(Self.text(program: program).contains("  Try        \(call) http"))
    }

    @Test func anAddressOfAllIsReachedOnThisMachine() {
        #expect(Self.text(url: "http://0.0.0.0:80/a").contains("  Inspector  http://127.0.0.1:80/a/"))
        #expect(Self.text(url: "http://[::]:80").contains("  API        http://[::1]:80/openapi.json"))
    }

    @Test func theCommandToTryWorksWithTheSettings() {
        // A state may refuse the first action of a kind.
        #expect(
            Self.text(kinds: [Self.kind("hall", "hall/book")]).contains(
                "Try        curl -X POST http://127.0.0.1:8080/sessions\n"))
        #expect(Self.text(kinds: [Self.kind("app", "hall/book")]).contains("Try        curl -X POST http"))
        #expect(Self.text { $0.access.mode = .token }.contains("Try        curl http://127.0.0.1:8080/healthz\n"))
        #expect(
            Self.text { $0.http.allowedHosts = ["a.example"] }
                .contains("Try        curl -H 'Host: a.example' http://127.0.0.1:8080/healthz\n"))
        #expect(Self.text { $0.http.allowedHosts = ["*"] }.contains("Try        storehouse send"))
        #expect(Self.text { $0.inspector.enabled = false }.contains("Inspector  off; --set inspector.enabled=true"))
    }
}
