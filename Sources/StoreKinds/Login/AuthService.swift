package import JSON
package import RemoteServices
import Stores

/// Asks the auth API whether credentials are right.
package struct AuthService: Sendable {
    package enum Verdict: Sendable, Equatable {
        case yes
        case no(LoginError)
    }

    /// How the body of a request is written.
    package enum Body: Sendable {
        case json
        /// As a page's form does it, and OAuth 2 (RFC 6749, 4.3.2).
        case form
    }

    private let client: any RemoteClient
    private let usernameName: String
    private let passwordName: String
    private let body: Body
    private let fields: [(name: String, value: String)]
    private let refusals: Set<Int>
    private let proof: JSONPointer?

    /// - Parameters:
    ///   - usernameName: the member of the body that holds the user name.
    ///   - passwordName: the member that holds the password.
    ///   - body: how it is written.
    ///   - fields: what stands in the body beside the credentials; they may be secret.
    ///   - refusals: the statuses that mean that the credentials are wrong.
    ///   - proof: what a good answer must have; nil where the status says it all.
    package init(
        client: any RemoteClient, usernameName: String = "username", passwordName: String = "password",
        body: Body = .json, fields: [String: String] = [:], refusals: Set<Int> = [401, 403], proof: JSONPointer? = nil
    ) {
        self.client = client
        self.usernameName = usernameName
        self.passwordName = passwordName
        self.body = body
        self.fields = fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        self.refusals = refusals
        self.proof = proof
    }

    func verdict(on credentials: Credentials) async -> Verdict {
        do throws(RemoteFailure) {
            return try await client.call(request(for: credentials)) { answer throws(RemoteFailure) in
                // A status that is configured to mean no is believed before any other.
                if refusals.contains(answer.status) { return .no(.refused) }
                try answer.requireSuccess()
                if let proof { try Self.require(proof, in: answer) }
                return .yes
            }
        } catch {
            EffectContext.current?.report(.failed(code: error.effectCode))
            return .no(LoginError(error))
        }
    }

    /// What says nothing proves nothing.
    private static func require(_ proof: JSONPointer, in answer: RemoteResponse) throws(RemoteFailure) {
        switch proof.value(in: try answer.json()) {
        case nil, .null, .bool(false), .string(""): throw RemoteFailure(.badBody, "the answer has nothing at \(proof)")
        default: break
        }
    }

    private func request(for credentials: Credentials) -> RemoteRequest {
        let own = [
            (name: usernameName, value: credentials.username),
            (name: passwordName, value: credentials.password.revealed),
        ]
        let members = own + fields.filter { $0.name != usernameName && $0.name != passwordName }
        if case .form = body { return .form(members) }
        var json = JSONWriter()
        json.object { json in
            for member in members { json.member(name: member.name, member.value) }
        }
        return RemoteRequest(method: "POST", body: json.finish(), contentType: "application/json")
    }
}
