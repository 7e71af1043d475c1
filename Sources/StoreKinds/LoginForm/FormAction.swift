package import Stores

/// The form's methods, as actions that a client or the middleware can name.
package enum FormAction: CataloguedAction, Equatable {
    case set([Credential])
    case authenticate
    case ackError
    case reset
    case authenticated
    case failed(LoginError)

    package static let catalogue = ActionCatalogue<FormAction>([
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
            case .password(let password): members.password = password.revealed
            }
        }
        return members
    }
}
