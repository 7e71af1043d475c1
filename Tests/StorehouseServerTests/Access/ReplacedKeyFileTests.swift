import Foundation
import StorehouseServer
import Testing
import TokenVectors

@Suite("Replaced files of access.publicKeys", .timeLimit(.minutes(5)))
struct ReplacedKeyFileTests {
    private static func status(_ server: LiveServer, _ token: String) async throws -> Int {
        try await server.get("/stores", TestTokens.field(token)).status
    }

    @Test("are read again, and one that cannot be used leaves the old keys")
    func replace() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(TokenVectors.edPEM.utf8).write(to: file, options: .atomic)
        let configuration = Configuration.with {
            $0.access.mode = .token
            $0.access.publicKeys = [file.path]
        }
        try await LiveServer.run(configuration: configuration) { (server: LiveServer) async throws -> Void in
            #expect(try await Self.status(server, TokenVectors.edToken) == 200)
            #expect(try await Self.status(server, TokenVectors.ecToken) == 401)
            try Data("nothing".utf8).write(to: file, options: .atomic)
            try await server.log.line(with: "replaced public keys cannot be used; the old ones stay")
            #expect(try await Self.status(server, TokenVectors.edToken) == 200)
            try Data(TokenVectors.ecPEM.utf8).write(to: file, options: .atomic)
            try await waitUntil { try await Self.status(server, TokenVectors.ecToken) == 200 }
            // Also a token that was remembered.
            #expect(try await Self.status(server, TokenVectors.edToken) == 401)
        }
    }
}
