package import JSON
import RemoteServices
package import StoreHosting
import Stores

/// Signing in: a finite state, whose view model is derived from it.
package struct Login: Sendable, Equatable {
    package enum Status: String, Sendable, JSONEncodable, Restorable {
        case idle, validatingCredentials, validCredentials, authenticating, authenticated, failure
    }

    package var status = Status.idle
    /// The reason of the status `failure`.
    package var error: LoginError?
    /// Never shown to clients.
    package var credentials = Credentials()

    package init() {}

    package var isLoading: Bool { status == .authenticating }
    package var isAuthenticated: Bool { status == .authenticated }
    private var validated: Status { credentials.areValid ? .validCredentials : .validatingCredentials }

    package static let enteringCredential = Action<Login, (String?, String?)>(
        "enteringCredential", "Enters the user name or the password; valid from 8 characters on.",
        Credentials.usernameField.optional(), Credentials.passwordField.optional(), members: 1...1,
        rules: .reject("authenticating") { login, _, _ in login.isLoading },
        .reject("already-authenticated") { login, _, _ in login.isAuthenticated }
    ) { login, username, password in
        login.credentials.enter(username, password)
        // The error stays until it is acknowledged.
        if login.error == nil { login.status = login.validated }
    }

    package static let authenticate = Action<Login, Void>(
        "authenticate", "Signs in at the auth API with the credentials entered.",
        rules: .reject("authenticating") { $0.isLoading }, .reject("already-authenticated") { $0.isAuthenticated },
        .reject("error-not-acknowledged") { $0.status == .failure },
        .reject("invalid-credentials-format") { $0.status != .validCredentials }
    ) { $0.status = .authenticating }

    package static let ackError = Action<Login, Void>(
        "ackError", "Acknowledges the error, so that signing in can be tried again.",
        rules: .ignore { $0.status != .failure }
    ) { login in
        login.error = nil
        login.status = login.validated
    }

    package static let logout = Action<Login, Void>(
        "logout", "Signs out and forgets the credentials.", rules: .ignore { !$0.isAuthenticated }
    ) { $0 = Login() }

    package static let authenticated = Action<Login, Void>(
        "authenticated", "The auth API said yes.", audience: .internal, rules: .ignore { !$0.isLoading }
    ) { login in
        login.status = .authenticated
        login.credentials.forgetPassword()
    }

    package static let failed = Action<Login, (LoginErrorCode, String)>(
        "failed", "The auth API said no, or nothing.", LoginError.fields.code, LoginError.fields.message,
        audience: .internal, rules: .ignore { login, _, _ in !login.isLoading }
    ) { login, code, message in
        login.status = .failure
        login.error = LoginError(code, message)
    }

    /// Only the end of the session cancels the call: the rules reject every other way out of `authenticating`.
    static let authentication = Call("login.authenticate", on: authenticate, to: AuthService.remote) {
        (clients, login) async throws(RemoteFailure) in
        let error = try await AuthService(clients).authenticate(login.credentials)
        return error.map { failed($0.code, $0.message) } ?? authenticated()
    } failed: { failure in
        let error = LoginError(failure)
        return failed(error.code, error.message)
    } isWaiting: {
        $0.isLoading
    }

    package static let elements = StoreElements<Login> {
        Member("status", \.status)
        Member("hasValidCredentials") { $0.status == .validCredentials }
        Member("isLoading") { $0.isLoading }
        Member("isAuthenticated") { $0.isAuthenticated }
        Member("error", \.error)
        Part(\.credentials) { Credentials.elements }
        Check("status", "does not fit the error") { ($0.status == .failure) == ($0.error != nil) }
        enteringCredential
        authenticate
        ackError
        logout
        authenticated
        failed
        authentication
        // A password that was not persisted counts as not entered.
        Resume { login in
            login.isAuthenticated || !login.credentials.lacksPassword ? [] : [enteringCredential(nil, "")]
        }
    }

    /// The rules of the login in `app`, in an asynchronous store.
    package static let store = StoreDefinition(
        "login", "Log in. Shows an asynchronous reducer.", Login(),
        isAsynchronous: true
    ) {
        Part("login", \.self) { elements }
    }
}

extension Login.Status: JSONSchemaProviding {
    package static var jsonSchema: JSONSchema { .string() }
}
