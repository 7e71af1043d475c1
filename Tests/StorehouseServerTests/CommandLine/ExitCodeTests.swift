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

    @Test(arguments: [Int32(0), 1, 2])
    func theExitCodeIsAsTheHelpSays(code: Int32) async throws {
        for arguments in try #require(Self.commands[code]) {
            let result = try await Program.run(arguments)
            #expect(result.status == code, "\(arguments): \(result.errors)")
            #expect(result.errors.isEmpty == (code == 0))
            #expect(result.output.isEmpty == (code != 0))
        }
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
