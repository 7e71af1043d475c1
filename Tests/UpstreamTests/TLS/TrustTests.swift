import FaultyServices
import RemoteServices
import Sockets
import StorehouseClient
import Stores
import Testing
import Upstream

/// The certificate that a service must show, and the certificate that is shown to it.
@Suite(.timeLimit(.minutes(5)), .certificates) struct TrustTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var certificate: String
        var authority: String?
        var outcome: String

        var testDescription: String { "\(certificate), trusting \(authority ?? "the system")" }
    }

    private static let cases = [
        Case(certificate: "server", authority: "authority", outcome: "200"),
        Case(certificate: "server", authority: nil, outcome: "unreachable"),
        Case(certificate: "server", authority: "stranger", outcome: "unreachable"),
        Case(certificate: "elsewhere", authority: "authority", outcome: "unreachable"),
        Case(certificate: "expired", authority: "authority", outcome: "unreachable"),
        Case(certificate: "stranger", authority: "authority", outcome: "unreachable"),
    ]

    private let certificates: Certificates

    init() throws { certificates = try #require(Certificates.current) }

    @Test(arguments: cases) func onlyATrustedCertificateForTheHostIsAccepted(_ test: Case) async throws {
        let server = try await TLSServer(certificates, test.certificate, "-www")
        try await withClient(url: server.url) {
            $0.caFile = test.authority.map { certificates.file("\($0).pem") }
        } _: { client in
            #expect(await client.outcome() == test.outcome)
        }
    }

    #if os(Linux)
        @Test(arguments: cases) func aClientTrustsNobodyElse(_ test: Case) async throws {
            let server = try await TLSServer(certificates, test.certificate, "-www")
            let transport = CurlTransport(caFile: test.authority.map { certificates.file("\($0).pem") })
            let response = try? await transport.send(ClientRequest("GET", server.url))
            #expect((response.map { String($0.status) } ?? "unreachable") == test.outcome)
        }
    #endif

    @Test func aServiceCanRequireAClientCertificate() async throws {
        let server = try await TLSServer(
            certificates, "server", "-www", "-Verify", "1", "-verify_return_error", "-CAfile", "authority.pem")
        try await call(server, nil, nil, "unreachable")
        try await call(server, "client.pem", "client.key", "200")
        try await call(server, "client.pem", "locked.key", "200")
        try await call(server, "stranger.pem", "stranger.key", "unreachable")
        try await call(server, "client.pem", "stranger.key", "unreachable")
        // Nobody is asked for a password.
        try await call(server, "client.pem", "locked.key", "unreachable", password: nil)
    }

    private func call(
        _ server: TLSServer, _ certificate: String?, _ key: String?, _ outcome: String,
        password: String? = Certificates.password
    ) async throws {
        try await withClient(url: server.url) {
            $0.caFile = certificates.file("authority.pem")
            $0.clientCertificate = certificate.map(certificates.file)
            $0.clientKey = key.map(certificates.file)
            $0.clientKeyPassword = password
        } _: { client in
            #expect(await client.outcome() == outcome, "\(certificate ?? "none") \(key ?? "")")
        }
    }

    /// A redirect to another origin is followed without the client certificate.
    @Test func aRedirectToAnotherOriginSendsNoClientCertificate() async throws {
        let asking = ["-Verify", "1", "-verify_return_error", "-CAfile", "authority.pem"]
        let other = try await TLSServer(
            certificates, "server", "-www", asking[0], asking[1], asking[2], asking[3], asking[4])
        try await Program.run(
            #"printf 'HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n' "$2" >"$1/there""#,
            certificates.folder, other.url)
        let service = try await TLSServer(certificates, "server", "-HTTP")
        try await call(other, "client.pem", "client.key", "200")
        try await withClient(url: service.url + "there") {
            $0.caFile = certificates.file("authority.pem")
            $0.clientCertificate = certificates.file("client.pem")
            $0.clientKey = certificates.file("client.key")
        } _: { client in
            #expect(await client.outcome() == "unreachable")
        }
    }

    @Test(arguments: ["http", "HTTP"]) func httpsIsNotLeftByARedirect(_ scheme: String) async throws {
        let clear = try FaultyUpstream(.send(Answer.ok()))
        let service = try await TLSServer(certificates, "server", "-HTTP")
        try await Program.run(
            #"printf 'HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n' "$2" >"$1/clear-$3""#,
            certificates.folder, "\(scheme)://127.0.0.1:\(clear.port)/", scheme)
        try await withClient(url: service.url + "clear-" + scheme) {
            $0.caFile = certificates.file("authority.pem")
        } _: { client in
            let failure = await #expect(throws: RemoteFailure.self) { _ = try await client.call(RemoteRequest()) }
            #expect(failure == RemoteFailure(.badStatus, "animal redirected from https to http"))
        }
        #expect(clear.record.requests.isEmpty)
    }

    @Test func aRedirectFromHTTPToHTTPSIsFollowedAndNotBack() async throws {
        let service = try await TLSServer(certificates, "server", "-HTTP")
        let url = service.url
        let clear = try FaultyUpstream(.send(Answer.status(302, "Location: \(url)back")))
        let secure = try await TLSServer(certificates, "server", "-www")
        let start = try FaultyUpstream(.send(Answer.status(301, "Location: \(secure.url)")))
        try await Program.run(
            #"printf 'HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n' "$2" >"$1/back""#,
            certificates.folder, start.url)
        for (upstream, outcome) in [(start, "200"), (clear, "bad-status")] {
            try await withClient(of: upstream) {
                $0.caFile = certificates.file("authority.pem")
            } _: { client in
                #expect(await client.outcome() == outcome)
            }
        }
        #expect(start.record.requests.count == 1)
    }

    @Test func unreadableFilesAreReportedBeforeAnyCall() async throws {
        let upstreams = try CurlUpstreams(userAgent: "test")
        let missing = certificates.file("missing.pem")
        let changes: [(String, @Sendable (inout UpstreamSettings) -> Void)] = [
            ("certificates to trust", { $0.caFile = missing }),
            ("client certificate", { $0.clientCertificate = missing }),
            ("client key", { $0.clientKey = missing }),
        ]
        for (purpose, change) in changes {
            var settings = UpstreamSettings(name: "a", url: "https://a.example")
            change(&settings)
            #expect(throws: UpstreamConfigurationError.file(missing, purpose: purpose)) {
                _ = try upstreams.client(for: settings)
            }
        }
        await upstreams.shutdown()
    }

    /// The server takes one connection, so calls that do not share it would wait for ever.
    @Test(arguments: LoopImplementation.allCases)
    func callsShareAnHTTP2Connection(_ implementation: LoopImplementation) async throws {
        let server = try await HTTP2Server(certificates, crowd: 20)
        try await withClient(url: server.url, on: implementation) {
            $0.caFile = certificates.file("authority.pem")
        } _: { client in
            let answers = try await withThrowingTaskGroup(of: RemoteResponse.self) { group in
                // The last of these waits for the others, so that the connection is never an idle one, which is closed.
                for _ in 0..<21 { group.addTask { try await client.call(RemoteRequest()) } }
                var answers: [RemoteResponse] = []
                while answers.count < 20, let answer = try await group.next() { answers.append(answer) }
                for _ in 0..<19 { group.addTask { try await client.call(RemoteRequest()) } }
                return try await group.reduce(into: answers) { $0.append($1) }
            }
            #expect(answers.map(\.status) == Array(repeating: 200, count: 40))
            #expect(answers.allSatisfy { $0.headers["Content-Type"] == "application/json" })
            #expect(answers.allSatisfy { String(decoding: $0.body, as: UTF8.self) == #"{"animal":"Cat"}"# })
        }
        await server.stop()
    }
}
