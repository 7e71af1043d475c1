import JSON
import ProcessTesting
import Testing

/// Exit codes and outputs of the program, as a script sees them.
@Suite struct ExitCodeTests {
    private static let commands: [Int32: [[String]]] = [
        0: [
            ["--help"],
            ["help", "send"],
            ["--version"],
        ],
        1: [
            ["verify", "--storage", "/none/storehouse.db"],
            ["types", "--swift", "nothing"],
            ["healthcheck", "--url", "http://127.0.0.1:1"],
            ["watch", "http://127.0.0.1:1/sessions/x"],
        ],
        2: [
            [],
            ["sevre"],
            ["verify"],
            ["serve", "--set", "http.prot=1"],
            ["check-config", "--set", "http.port=x"],
            ["upstream", "--set", "upstreams.maxDelay=x"],
            ["healthcheck", "--set", "http.port=x"],
            ["healthcheck", "--url", "nothing"],
            ["send", "http://127.0.0.1:1/sessions/x", "a/b", "--header", "a b: c"],
            ["init", "../x"],
        ],
    ]

    @Test func whatASessionHasCannotControlTheTerminal() async throws {
        let hostile = "\u{9b}31m\u{202e}\u{2067}\u{200e}\u{2029}x"
        try await LiveServer.run { live in
            let session = try await live.session("planner")
            let url = "http://127.0.0.1:\(live.port)\(session.path)"
            for json in [[], ["--json"]] {
                let sent = try await Program.run(["send", url, "tasks/add", "title=\(hostile)"] + json)
                #expect(sent.status == 0)
                // Each change has an arrow, which is no ASCII.
                let output = sent.output.replacing("→", with: "->")
                #expect(output.utf8.allSatisfy { $0 == 10 || (0x20..<0x7F).contains($0) })
                #expect(sent.output.contains(#"\u009b31m\u202e\u2067\u200e\u2029x"#))
                let refused = try await Program.run(["send", url, "tasks/add", "title=1", "\(hostile)=1"] + json)
                #expect(refused.status == 1)
                let told = refused.output + refused.errors
                #expect(told.utf8.allSatisfy { $0 == 10 || (0x20..<0x7F).contains($0) })
            }
        }
    }

    @Test(arguments: [Int32(0), 1, 2])
    func theExitCodeIsAsTheHelpSays(code: Int32) async throws {
        for arguments in try #require(Self.commands[code]) {
            let result = try await Program.run(arguments)
            #expect(result.status == code, "\(arguments): \(result.errors)")
            #expect(result.errors.isEmpty == (code == 0))
            #expect(result.output.isEmpty == (code != 0))
        }
    }

    @Test(arguments: [
        ["healthcheck", "--url", "http://user:PASSWORD@127.0.0.1:1"],
        ["healthcheck", "--url", "http://user:PASSWORD@127.0.0.1:1", "--json"],
        ["watch", "http://user:PASSWORD@127.0.0.1:1/sessions/x"],
        ["verify", "--storage", "http://user:PASSWORD@127.0.0.1:1"],
        ["verify", "--storage", "redis://user:PASSWORD@127.0.0.1:1"],
        ["check-config", "--set", "http.allowedOrigins=http://user:PASSWORD@a"],
        ["check-config", "--set", "upstreams.animal.url=http://user:PASSWORD@a:0/"],
        ["check-config", "--config", "http://user:PASSWORD@a/"],
        ["serve", "--port", "0", "--host", "http://user:PASSWORD@a"],
    ])
    func noOutputHasThePasswordOfAURL(arguments: [String]) async throws {
        let result = try await Program.run(arguments)
        #expect(result.status != 0 && !(result.output + result.errors).isEmpty)
        #expect(!(result.output + result.errors).contains("PASSWORD"))
    }

    @Test func aServerIsAliveAndReadyForScripts() async throws {
        try await LiveServer.run { live in
            let url = "http://127.0.0.1:\(live.port)"
            let alive = try await Self.healthcheck("--url", url, "--json")
            #expect(try alive.json == ["healthy": true, "url": .string(url + "/healthz"), "status": 200])
            let ready = try await Self.healthcheck("--url", url + "/", "--ready", "--json")
            #expect(try ready.json == ["healthy": true, "url": .string(url + "/readyz"), "status": 200])
        }
        let down = try await Program.run(["healthcheck", "--url", "http://127.0.0.1:1", "--json"])
        #expect(down.status == 1)
        #expect(try down.json["healthy"] == false)
    }

    /// The program waits five seconds for its answer.
    private static func healthcheck(_ arguments: String...) async throws -> ProgramResult {
        try await fasterThan(.seconds(5)) {
            let result = try await Program.run(["healthcheck"] + arguments)
            guard result.status == 0 else { throw Wire.Failure.malformed(result.output + result.errors) }
            return result
        }
    }

    @Test func theVersionIsJSON() async throws {
        let result = try await Program.run(["--version", "--json"])
        #expect(try result.json["name"] == "storehouse")
        #expect(try result.json["version"]?.asString?.isEmpty == false)
    }
}
