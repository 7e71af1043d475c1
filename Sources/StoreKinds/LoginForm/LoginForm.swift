import RemoteServices
package import StoreHosting
package import Stores

/// A login form as an observable value: properties in place of finite states, changed by its own methods.
///
/// Each method returns whether it had anything to do.
package struct LoginForm: Sendable, Equatable {
    package private(set) var credentials = Credentials()
    package private(set) var isBusy = false
    package private(set) var isAuthenticated = false
    package private(set) var error: LoginError?

    package init() {}

    /// Whether there is no error and both credentials were valid when they were entered.
    package var hasValidCredentials: Bool { error == nil && credentials.areValid }

    /// Sets and validates credentials.
    package mutating func set(_ username: String?, _ password: String?) throws(Rejection) -> Bool {
        if isBusy { throw "busy" }
        if isAuthenticated { throw "already-authenticated" }
        credentials.enter(username, password)
        return true
    }

    package mutating func authenticate() -> Bool {
        guard hasValidCredentials, !isBusy, !isAuthenticated else { return false }
        isBusy = true
        return true
    }

    package mutating func ackError() -> Bool {
        defer { error = nil }
        return error != nil
    }

    package mutating func reset() -> Bool {
        self = LoginForm()
        return true
    }

    /// Ends a successful authentication and removes the password.
    package mutating func succeed() -> Bool {
        guard isBusy else { return false }
        isBusy = false
        isAuthenticated = true
        credentials.forgetPassword()
        return true
    }

    package mutating func fail(_ error: LoginError) -> Bool {
        guard isBusy else { return false }
        isBusy = false
        self.error = error
        return true
    }
}

/// The methods of the form as actions.
extension LoginForm {
    package static let set = Action<LoginForm, (String?, String?)>.method(
        "set", "Enters the user name, the password or both; `busy` or `already-authenticated`.",
        Credentials.usernameField.optional(), Credentials.passwordField.optional(), members: 1...2,
        reasons: ["busy", "already-authenticated"]
    ) { form, username, password throws(Rejection) in try form.set(username, password) }

    package static let authenticate = Action<LoginForm, Void>.method(
        "authenticate", "Signs in at the auth API; ignored while the credentials are not valid."
    ) { $0.authenticate() }

    package static let ackError = Action<LoginForm, Void>.method("ackError", "Clears the error.") { $0.ackError() }

    package static let reset = Action<LoginForm, Void>.method(
        "reset", "Empties the form and cancels a call under way."
    ) { $0.reset() }

    package static let authenticated = Action<LoginForm, Void>.method(
        "authenticated", "The auth API said yes.", audience: .internal
    ) { $0.succeed() }

    package static let failed = Action<LoginForm, (LoginErrorCode, String)>.method(
        "failed", "The auth API said no, or nothing.", LoginError.fields.code, LoginError.fields.message,
        audience: .internal
    ) { form, code, message in form.fail(LoginError(code, message)) }

    static let authentication = Call(
        "form.authenticate", on: authenticate, to: AuthService.remote, cancelledBy: reset
    ) { (clients, form) async throws(RemoteFailure) in
        let error = try await AuthService(clients).authenticate(form.credentials)
        return error.map { failed($0.code, $0.message) } ?? authenticated()
    } failed: { failure in
        let error = LoginError(failure)
        return failed(error.code, error.message)
    } isWaiting: {
        $0.isBusy
    }

    package static let elements = StoreElements<LoginForm> {
        Member("username") { $0.credentials.username }
        Member("hasValidCredentials") { $0.hasValidCredentials }
        Member("isBusy", \.isBusy)
        Member("isAuthenticated", \.isAuthenticated)
        Member("error", \.error)
        Part(\.credentials) { Credentials.elements }
        Invariant("error-and-authenticated") { !($0.error != nil && $0.isAuthenticated) }
        Invariant("busy-and-authenticated") { !($0.isBusy && $0.isAuthenticated) }
        Invariant("busy-and-error") { !($0.isBusy && $0.error != nil) }
        set
        authenticate
        ackError
        reset
        authenticated
        failed
        authentication
        // A password that was not persisted counts as not entered.
        Resume { form in form.isAuthenticated || !form.credentials.lacksPassword ? [] : [set(nil, "")] }
    }

    package static let store = StoreDefinition(
        "login-form", "Log in. Shows an observable value in place of a reducer.", LoginForm()
    ) {
        Part("form", \.self) { elements }
    }
}
