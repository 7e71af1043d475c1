import JSON
package import Stores

/// Asks the auth API whether credentials are right.
package struct AuthService: Sendable {
    package enum Verdict: Sendable, Equatable {
        case yes
        case no(LoginError)
    }

    private let client: any RemoteClient
    private let usernameName: String
    private let passwordName: String
    private let refusals: Set<Int>

    /// - Parameters:
    ///   - usernameName: the member of the JSON body that holds the user name.
    ///   - passwordName: the member that holds the password.
    ///   - refusals: the statuses that mean that the credentials are wrong.
    package init(
        client: any RemoteClient, usernameName: String = "username", passwordName: String = "password",
        refusals: Set<Int> = [401, 403]
    ) {
        self.client = client
        self.usernameName = usernameName
        self.passwordName = passwordName
        self.refusals = refusals
    }

    func verdict(on credentials: Credentials) async -> Verdict {
        do throws(RemoteFailure) {
            let answer = try await client.call(request(for: credentials))
            // A status that is configured to mean no is believed before any other.
            if refusals.contains(answer.status) { return .no(.refused) }
            guard answer.isSuccess else {
                throw RemoteFailure(.badStatus, "the auth API answered with status \(answer.status)")
            }
            return .yes
        } catch {
            EffectProgress.current?.report(.failed(error.code))
            return .no(LoginError(error))
        }
    }

    private func request(for credentials: Credentials) -> RemoteRequest {
        var json = JSONWriter()
        json.object { json in
            json.member(name: usernameName, credentials.username)
            json.member(name: passwordName, credentials.password.revealed)
        }
        return RemoteRequest(method: "POST", body: json.finish(), contentType: "application/json")
    }
}
