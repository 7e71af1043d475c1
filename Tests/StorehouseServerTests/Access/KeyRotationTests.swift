import JSON
import RemoteServices
import Sessions
import StorehouseServer
import StoresTesting
import Testing
import TokenVectors

@Suite("Keys of a key set")
struct KeyRotationTests {
    private static func body(_ keys: String...) -> String { #"{"keys":[\#(keys.joined(separator: ","))]}"# }

    private static func configuration() -> Configuration {
        .with {
            $0.access.mode = .token
            $0.access.jwksURL = "http://127.0.0.1:1/jwks.json"
        }
    }

    private static func status(_ server: LiveServer, _ token: String) async throws -> Int {
        try await server.get("/stores", TestTokens.field(token)).status
    }

    /// The statuses of ten requests at the same time.
    private static func statuses(_ server: LiveServer, _ token: String) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { try await status(server, token) } }
            var statuses: [Int] = []
            while let status = try await group.next() { statuses.append(status) }
            return statuses
        }
    }

    @Test("are fetched when they are needed, and rotate while the service is down")
    func rotate() async throws {
        let (clock, service) = (ManualClock(), ScriptedRemoteClient())
        let clocks = WallClock(now: WallClock().now, steady: { clock.now })
        try await LiveServer.run(clock: clocks, configuration: Self.configuration(), keySet: service) {
            (server: LiveServer) async throws -> Void in
            #expect(service.requests.isEmpty)
            // Many requests wait for the first fetch.
            async let first = Self.statuses(server, TokenVectors.edToken)
            await service.called(times: 1)
            service.reply(Self.body(TokenVectors.edJWK))
            let statuses = try await first
            #expect(statuses == Array(repeating: 200, count: 10))
            #expect(service.requests == [.get()])
            // A new key is fetched at once.
            service.reply(Self.body(TokenVectors.edJWK, TokenVectors.nextJWK))
            #expect(try await Self.status(server, TokenVectors.nextToken) == 200)
            #expect(service.requests.count == 2)
            // Unknown keys are not fetched again for 30 seconds, and known ones work.
            #expect(try await Self.status(server, TokenVectors.rsaToken) == 401)
            #expect(try await Self.status(server, TokenVectors.edToken) == 200)
            #expect(service.requests.count == 2)
            clock.advance(by: 30_000)
            service.reply(.failure(RemoteFailure(.unreachable, "no connection")))
            #expect(try await Self.status(server, TokenVectors.rsaToken) == 401)
            #expect(try await Self.status(server, TokenVectors.edToken) == 200)
            clock.advance(by: 30_000)
            service.reply("not a key set")
            #expect(try await Self.status(server, TokenVectors.rsaToken) == 401)
            clock.advance(by: 30_000)
            service.reply(Self.body(TokenVectors.rsaJWK))
            #expect(try await Self.status(server, TokenVectors.rsaToken) == 200)
            #expect(service.requests.count == 5)
            // The others are withdrawn, also for tokens that were verified before.
            #expect(try await Self.status(server, TokenVectors.edToken) == 401)
            try await server.log.line(with: "the key set cannot be fetched")
            try await server.log.line(with: "the key set can be fetched again")
        }
    }

    @Test("have a line in the log if they are too many, once for each fetch that changes their number")
    func tooMany() async throws {
        let (clock, service) = (ManualClock(), ScriptedRemoteClient())
        let clocks = WallClock(now: WallClock().now, steady: { clock.now })
        let copies = { (count: Int) in
            let keys = (0..<count).map { TokenVectors.edJWK.replacing(#""kid":"ed""#, with: #""kid":"ed\#($0)""#) }
            return #"{"keys":[\#((keys + [TokenVectors.rsaJWK]).joined(separator: ","))]}"#
        }
        let line = { (count: Int) in "tokens of the last ones are refused keys=\(count) used=50" }
        try await LiveServer.run(clock: clocks, configuration: Self.configuration(), keySet: service) {
            (server: LiveServer) async throws -> Void in
            for (count, status) in [(50, 401), (50, 401), (51, 401), (49, 200)] {
                service.reply(copies(count))
                #expect(try await Self.status(server, TokenVectors.rsaToken) == status)
                clock.advance(by: 600_000)
            }
            let lines = server.log.text.split(separator: "\n").filter { $0.contains("too many keys") }
            #expect(lines.count == 2 && lines[0].contains(line(51)) && lines[1].contains(line(52)))
        }
    }

    @Test("are withdrawn although nothing but remembered tokens comes")
    func withdrawnForRememberedTokens() async throws {
        let (clock, service) = (ManualClock(), ScriptedRemoteClient())
        let clocks = WallClock(now: WallClock().now, steady: { clock.now })
        try await LiveServer.run(clock: clocks, configuration: Self.configuration(), keySet: service) {
            (server: LiveServer) async throws -> Void in
            service.reply(Self.body(TokenVectors.edJWK))
            #expect(try await Self.status(server, TokenVectors.edToken) == 200)
            clock.advance(by: 599_000)
            #expect(try await Self.status(server, TokenVectors.edToken) == 200)
            #expect(service.requests.count == 1)
            clock.advance(by: 1000)
            service.reply(Self.body(TokenVectors.nextJWK))
            // The set is fetched in the background.
            let request = TestRequest("GET", "/stores", TestTokens.field(TokenVectors.edToken))
            #expect(try await server.eventually(request) { $0.status == 401 }.code == "unauthorized")
            #expect(service.requests.count == 2)
            #expect(try await Self.status(server, TokenVectors.nextToken) == 200)
        }
    }

    @Test("stand beside those of the configuration")
    func besideSecret() async throws {
        let service = ScriptedRemoteClient()
        let configuration = TestTokens.configuration { $0.access.jwksURL = "http://127.0.0.1:1/jwks.json" }
        try await LiveServer.run(configuration: configuration, keySet: service) {
            (server: LiveServer) async throws -> Void in
            #expect(try await Self.status(server, TestTokens.token("alice")) == 200)
            #expect(service.requests.isEmpty)
            service.reply(Self.body(TokenVectors.ecJWK))
            #expect(try await Self.status(server, TokenVectors.ecToken) == 200)
        }
    }
}
