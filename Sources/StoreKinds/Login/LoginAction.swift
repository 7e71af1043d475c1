package import Stores

/// What can happen while signing in.
package enum LoginAction: CataloguedAction, Equatable {
    case enteringCredential(Credential)
    case authenticate
    case ackError
    case logout
    case authenticated
    case failed(LoginError)

    package static let catalogue = ActionCatalogue<LoginAction>([
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
            // The schema sees to it that one of them is there.
            embed: { username, password in
                .enteringCredential(password.map { .password(Secret($0)) } ?? .username(username ?? ""))
            },
            extract: { action in
                switch action {
                case .enteringCredential(.username(let username)): (username, nil)
                case .enteringCredential(.password(let password)): (nil, password.revealed)
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
