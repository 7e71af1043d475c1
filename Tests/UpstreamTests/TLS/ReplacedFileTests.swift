import FaultyServices
import Locks
import Platform
import RemoteServices
import Testing
import Upstream

/// Certificates and keys are used as their files have them now.
@Suite(.timeLimit(.minutes(5)), .certificates) struct ReplacedFileTests {
    private let certificates: Certificates

    init() throws { certificates = try #require(Certificates.current) }

    /// The files of one service, beside those of the certificates, and what was reported of them.
    private final class Files: Sendable {
        private let certificates: Certificates
        private let name: String
        let events = Locked([UpstreamEvent]())

        init(_ certificates: Certificates, _ name: String) {
            (self.certificates, self.name) = (certificates, name)
        }

        func path(_ purpose: String) -> String { certificates.file("\(name)-\(purpose).pem") }

        /// Puts a copy of a file in the place of another one, as certificate managers do.
        func replace(_ purpose: String, by source: String) async throws {
            try await Program.run(
                #"cp "$1" "$2.new" && mv "$2.new" "$2""#, certificates.file(source), path(purpose))
        }

        func write(_ purpose: String, _ text: String) async throws {
            try await Program.run(#"printf %s "$2" >"$1""#, path(purpose), text)
        }

        var unusable: Int {
            events.withLock { $0.count { if case .trustUnusable("animal", _) = $0 { true } else { false } } }
        }

        var replaced: Int { events.withLock { $0.count { $0 == .trustReplaced(upstream: "animal") } } }

        /// Runs a test with a client, and keeps what it reports.
        func withObservedClient(
            url: String, _ change: (inout UpstreamSettings) -> Void, _ body: (CurlClient) async throws -> Void
        ) async throws {
            try await withClient(url: url, events: events) {
                $0.retries = 0
                change(&$0)
            } _: { client in
                try await body(client)
            }
        }
    }

    /// Runs a test with a server and a client that trusts the authority of the file `ca`.
    private func withAuthority(_ name: String, _ body: (Files, CurlClient) async throws -> Void) async throws {
        let server = try await TLSServer(certificates, "server", "-www")
        let files = Files(certificates, name)
        try await files.replace("ca", by: "authority.pem")
        try await files.withObservedClient(url: server.url) {
            $0.caFile = files.path("ca")
        } _: { client in
            try await body(files, client)
        }
    }

    @Test func aReplacedAuthorityIsTrustedAndTheOldOneNoMore() async throws {
        try await withAuthority("authorities") { files, client in
            #expect(await client.outcome() == "200")
            try await files.replace("ca", by: "stranger.pem")
            #expect(await client.outcome() == "unreachable")
            try await files.replace("ca", by: "authority.pem")
            #expect(await client.outcome() == "200")
            #expect((files.replaced, files.unusable) == (2, 0))
        }
    }

    @Test func aFileThatCannotBeUsedLeavesTheOldAuthorityAndIsReportedOnce() async throws {
        try await withAuthority("broken") { files, client in
            let half = "-----BEGIN CERTIFICATE-----\nMIIB"
            for (count, text) in ["", "nothing\n", half].enumerated() {
                try await files.write("ca", text)
                for _ in 0..<2 { #expect(await client.outcome() == "200", "\(text)") }
                #expect(files.unusable == count + 1)
            }
            try await Program.run(#"rm "$1""#, files.path("ca"))
            for _ in 0..<2 { #expect(await client.outcome() == "200") }
            #expect(files.unusable == 4)
            try await files.replace("ca", by: "stranger.pem")
            #expect(await client.outcome() == "unreachable")
            #expect((files.replaced, files.unusable) == (1, 4))
        }
    }

    /// The connection is as good without TLS.
    @Test func noConnectionFromBeforeIsUsed() async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()))
        let files = Files(certificates, "kept")
        try await expectConnections([0, 0, 1, 1]) {
            try await files.replace("ca", by: "authority.pem")
            let first = upstream.record.requests.count
            try await files.withObservedClient(url: upstream.url) {
                $0.caFile = files.path("ca")
            } _: { client in
                for round in 0..<2 {
                    if round > 0 { try await files.replace("ca", by: "stranger.pem") }
                    for _ in 0..<2 { #expect(await client.outcome() == "200") }
                }
            }
            let connections = upstream.record.requests[first...].map(\.connection)
            return connections.map { $0 - connections[0] }
        }
    }

    @Test func aReplacedClientCertificateIsShownOnceItsKeyFits() async throws {
        let server = try await TLSServer(
            certificates, "server", "-www", "-Verify", "1", "-verify_return_error", "-CAfile", "authority.pem")
        let files = Files(certificates, "client")
        try await files.replace("certificate", by: "client.pem")
        try await files.replace("key", by: "client.key")
        try await files.withObservedClient(url: server.url) {
            $0.caFile = certificates.file("authority.pem")
            $0.clientCertificate = files.path("certificate")
            $0.clientKey = files.path("key")
        } _: { client in
            #expect(await client.outcome() == "200")
            // A certificate of another key is of no use: the old one stays.
            try await files.replace("certificate", by: "stranger.pem")
            while files.unusable < 1 { #expect(await client.outcome() == "200") }
            #expect(await client.outcome() == "200")
            try await files.replace("key", by: "stranger.key")
            while files.replaced < 1 { _ = await client.outcome() }
            #expect(await client.outcome() == "unreachable")
        }
    }
}
