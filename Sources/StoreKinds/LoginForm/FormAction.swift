package import StoreHosting
package import Stores

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
