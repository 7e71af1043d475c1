import JSON
import RemoteServices
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// A password is never shown, in no response and no log.
@Suite struct SecretTests {
    private static let secret = "h0rse-battery-staple"

    @Test(arguments: [200, 401, 500])
    func aPasswordIsNeverShown(_ status: Int) async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(auth: remote) { api in
            let session = try await api.session()
            let events = try await session.events()
            var texts = try await Self.misuse(session)
            texts.append(try await Self.enter(session).text)
            async let answer = session.dispatch("login/authenticate", fields: [("Prefer", "wait=3600")])
            await remote.called(times: 1)
            // Only the remote service receives the secret.
            #expect(String(decoding: remote.requests[0].body, as: UTF8.self).contains(Self.secret))
            remote.reply(status: status, #"{"echo":"\#(Self.secret)"}"#)
            texts.append(try await answer.text)
            texts.append(try await session.read().text)
            texts.append(try await session.read("/state").text)
            texts.append(try await session.read("/actions").text)
            for event in try await events.states(upTo: 4) { texts.append(event.data.description) }
            texts.append(api.log.text)
            #expect(api.log.text.contains("login/enteringCredential"))
            for text in texts { #expect(!text.contains(Self.secret)) }
        }
    }

    private static func enter(_ session: LiveSession) async throws -> TestResponse {
        _ = try await session.dispatch("login/enteringCredential", ["username": "some username"])
        return try await session.dispatch("login/enteringCredential", ["password": .string(secret)])
    }

    /// The responses to invalid requests that contain the password.
    private static func misuse(_ session: LiveSession) async throws -> [String] {
        let long = secret + String(repeating: "x", count: 300)
        let payloads: [JSONValue] = [
            ["password": .string(long)], ["password": [.string(secret)]],
            ["username": "x", "password": .string(secret)],
        ]
        var texts: [String] = []
        for payload in payloads {
            let response = try await session.dispatch("login/enteringCredential", payload)
            #expect(response.code == "invalid-payload")
            texts.append(response.text)
        }
        let broken = Array(#"{"type":"login/enteringCredential","payload":{"password":"\#(secret)"}"#.utf8)
        let request = TestRequest("POST", session.path + "/actions", body: broken)
        texts.append(try await session.server.send(request).text)
        return texts
    }

    @Test func theLogContainsNoSessionID() async throws {
        try await TestAPI.run(configuration: .with { $0.log.access = .all }) { api in
            let session = try await api.session()
            _ = try await session.increment()
            _ = try await session.events().state()
            _ = try await session.read("/nothing")
            _ = try await session.delete()
            try await api.log.line(with: "session deleted")
            #expect(!api.log.text.contains(session.id))
        }
    }
}
