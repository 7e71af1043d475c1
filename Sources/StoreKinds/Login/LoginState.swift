package import RemoteServices
package import StoreHosting
import Stores

/// The state of the login: a finite state. The view model is derived from it.
package struct LoginState: StateSlice, Equatable {
    package static let key: StaticString = "login"

    package enum Status: Sendable, Equatable {
        case idle
        case validatingCredentials
        case validCredentials
        case authenticating
        case authenticated
        case failure(LoginError)
    }

    package var status = Status.idle
    /// Never shown to clients.
    package var credentials = Credentials()

    package init() {}

    package var hasValidCredentials: Bool { status == .validCredentials }
    package var isLoading: Bool { status == .authenticating }
    package var isAuthenticated: Bool { status == .authenticated }
    package var error: LoginError? { if case .failure(let error) = status { error } else { nil } }

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        guard let status = Status(name: try persisted.member("status"), try persisted.member("error")) else {
            throw persisted.unreadable(
                "is none of the statuses that there are, or does not fit the error", below: "status")
        }
        self.status = status
        credentials = try Credentials(restoring: persisted)
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("status", status.name)
        members.member("hasValidCredentials", hasValidCredentials)
        members.member("isLoading", isLoading)
        members.member("isAuthenticated", isAuthenticated)
        members.member("error", error)
    }

    package func encodePrivate(into members: inout PrivateStateEncoder) { credentials.encodePrivate(into: &members) }
}

extension LoginState.Status {
    package var name: String {
        switch self {
        case .idle: "idle"
        case .validatingCredentials: "validatingCredentials"
        case .validCredentials: "validCredentials"
        case .authenticating: "authenticating"
        case .authenticated: "authenticated"
        case .failure: "failure"
        }
    }

    /// The status with this name. Nil if there is none, or if the error does not fit the status.
    fileprivate init?(name: String, _ error: LoginError?) {
        let simple: [Self] = [.idle, .validatingCredentials, .validCredentials, .authenticating, .authenticated]
        guard let status = (error.map { [.failure($0)] } ?? simple).first(where: { $0.name == name }) else {
            return nil
        }
        self = status
    }
}

/// The reason of a failed login.
package typealias LoginError = CodedError<LoginErrorCode>

package enum LoginErrorCode: String, Sendable, CaseIterable {
    /// The auth API rejected the credentials.
    case invalidCredentials
    /// The call failed. The message has the code of the remote call.
    case networkError
}

extension LoginError {
    package static let refused = LoginError(.invalidCredentials, "the user name or the password is wrong")

    package init(_ failure: RemoteFailure) {
        self.init(.networkError, "\(failure.code.rawValue): \(failure.message)")
    }
}

/// The actions of the login slice.
package enum LoginAction: DeclaredAction, Equatable {
    case enteringCredential(Credential)
    case authenticate
    case ackError
    case logout
    case authenticated
    case failed(LoginError)

    package static let catalogue = ActionSchema<LoginAction>([
        entering,
        ActionDeclaration(
            "login/authenticate", "Signs in at the auth API with the credentials entered.", .authenticate),
        ActionDeclaration(
            "login/ackError", "Acknowledges the error, so that signing in can be tried again.", .ackError),
        ActionDeclaration("login/logout", "Signs out and forgets the credentials.", .logout),
        ActionDeclaration("login/authenticated", "The auth API said yes.", audience: .internal, .authenticated),
        failed,
    ])

    private static var entering: ActionDeclaration<LoginAction> {
        ActionDeclaration(
            "login/enteringCredential", "Enters the user name or the password; valid from 8 characters on.",
            members: 1...1,
            fields: Credentials.usernameField.optional(), Credentials.passwordField.optional(),
            // The schema requires one of them.
            embed: { username, password in
                .enteringCredential(password.map { .password(Secret($0)) } ?? .username(username ?? ""))
            },
            extract: { action in
                switch action {
                case .enteringCredential(.username(let username)): (username, nil)
                case .enteringCredential(.password(let password)): (nil, password.unmasked)
                default: nil
                }
            })
    }

    private static var failed: ActionDeclaration<LoginAction> {
        let fields = LoginError.fields(example: .refused)
        return ActionDeclaration(
            "login/failed", "The auth API said no, or nothing.", audience: .internal,
            fields: fields.code, fields.message,
            embed: { .failed(CodedError($0, $1)) },
            extract: { if case .failed(let error) = $0 { (error.code, error.message) } else { nil } })
    }
}
