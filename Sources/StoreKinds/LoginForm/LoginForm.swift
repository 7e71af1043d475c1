package import StoreHosting
package import Stores

/// A login form as an observable value: properties in place of finite states, changed by its own methods.
///
/// Each method returns whether it had anything to do.
package struct LoginForm: StateSlice, Equatable {
    package static let key: StaticString = "form"

    package private(set) var credentials = Credentials()
    package private(set) var isBusy = false
    package private(set) var isAuthenticated = false
    package private(set) var error: LoginError?

    package init() {}

    /// Whether there is no error and both credentials were valid when they were entered.
    package var hasValidCredentials: Bool { error == nil && credentials.areValid }

    /// Sets and validates credentials.
    package mutating func set(_ entered: [Credential]) throws(Rejection) -> Bool {
        if isBusy { throw "busy" }
        if isAuthenticated { throw "already-authenticated" }
        for credential in entered { credentials.enter(credential) }
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

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        credentials = try Credentials(restoring: persisted)
        isBusy = try persisted.member("isBusy")
        isAuthenticated = try persisted.member("isAuthenticated")
        error = try persisted.member("error")
        if let broken = Self.invariants.first(where: { !$0.holds(self) }) {
            throw persisted.unreadable("breaks the invariant \(broken.name)")
        }
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("username", credentials.username)
        members.member("hasValidCredentials", hasValidCredentials)
        members.member("isBusy", isBusy)
        members.member("isAuthenticated", isAuthenticated)
        members.member("error", error)
    }

    package func encodePrivate(into members: inout PrivateStateEncoder) { credentials.encodePrivate(into: &members) }
}

extension LoginForm {
    /// The invariants, checked after every method.
    package static let invariants: [Invariant<LoginForm>] = [
        Invariant("error-and-authenticated") { !($0.error != nil && $0.isAuthenticated) },
        Invariant("busy-and-authenticated") { !($0.isBusy && $0.isAuthenticated) },
        Invariant("busy-and-error") { !($0.isBusy && $0.error != nil) },
    ]
}

extension LoginForm {
    /// Calls the method for each action and checks the invariants.
    package static var reducer: MethodReducer<LoginForm, FormAction> {
        MethodReducer(invariants: invariants) { form, action throws(Rejection) in
            switch action {
            case .set(let entered): try form.set(entered)
            case .authenticate: form.authenticate()
            case .ackError: form.ackError()
            case .reset: form.reset()
            case .authenticated: form.succeed()
            case .failed(let error): form.fail(error)
            }
        }
    }
}

/// The methods of the form as actions.
package enum FormAction: DeclaredAction, Equatable {
    case set([Credential])
    case authenticate
    case ackError
    case reset
    case authenticated
    case failed(LoginError)

    package static let catalogue = ActionSchema<FormAction>([
        setting,
        ActionDeclaration(
            "form/authenticate", "Signs in at the auth API; ignored while the credentials are not valid.",
            .authenticate),
        ActionDeclaration("form/ackError", "Clears the error.", .ackError),
        ActionDeclaration("form/reset", "Empties the form and cancels a call under way.", .reset),
        ActionDeclaration("form/authenticated", "The auth API said yes.", audience: .internal, .authenticated),
        failed,
    ])

    private static var setting: ActionDeclaration<FormAction> {
        ActionDeclaration(
            "form/set", "Enters the user name, the password or both; `busy` or `already-authenticated`.",
            members: 1...2,
            fields: Credentials.usernameField.optional(), Credentials.passwordField.optional(),
            embed: { username, password in
                .set([username.map(Credential.username), password.map { .password(Secret($0)) }].compactMap(\.self))
            },
            extract: { if case .set(let entered) = $0 { members(entered) } else { nil } })
    }

    private static var failed: ActionDeclaration<FormAction> {
        let fields = LoginError.fields(example: .refused)
        return ActionDeclaration(
            "form/failed", "The auth API said no, or nothing.", audience: .internal,
            fields: fields.code, fields.message,
            embed: { .failed(CodedError($0, $1)) },
            extract: { if case .failed(let error) = $0 { (error.code, error.message) } else { nil } })
    }

    private static func members(_ entered: [Credential]) -> (username: String?, password: String?) {
        var members: (username: String?, password: String?)
        for credential in entered {
            switch credential {
            case .username(let username): members.username = username
            case .password(let password): members.password = password.unmasked
            }
        }
        return members
    }
}

/// Calls the auth API while the form is busy.
package struct FormMiddleware: Middleware {
    package static let authentication: EffectID = "form.authenticate"

    private let service: AuthService

    package init(_ service: AuthService) { self.service = service }

    package func respond(to commit: borrowing Commit<LoginForm, FormAction>) -> Effect<FormAction> {
        switch commit.action {
        case .authenticate:
            let credentials = commit.state.credentials
            return .run(Self.authentication) { [service] in
                switch await service.authenticate(credentials) {
                case .yes: .authenticated
                case .no(let error): .failed(error)
                }
            }
        case .reset: return .cancel(Self.authentication)
        case .set, .ackError, .authenticated, .failed: return .none
        }
    }

    /// An interrupted call counts as failed. A password that was not persisted counts as not entered.
    package func resume(_ state: LoginForm) -> Effect<FormAction> {
        let failed: Effect<FormAction> = state.isBusy ? .dispatch(.failed(LoginError(.interrupted))) : .none
        guard !state.isAuthenticated, state.credentials.lacksPassword else { return failed }
        return .merge(failed, .dispatch(.set([.password(Secret(""))])))
    }
}
