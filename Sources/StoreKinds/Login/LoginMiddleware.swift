package import Stores

/// Asks the auth API once the reducer has accepted that it be asked.
///
/// Nothing but the session's end cancels the call: the reducer lets nobody leave `authenticating` by another way.
package struct LoginMiddleware: Middleware {
    package static let authentication: EffectID = "login.authenticate"

    private let service: AuthService

    package init(_ service: AuthService) { self.service = service }

    package func respond(to commit: borrowing Commit<LoginState, LoginAction>) -> Effect<LoginAction> {
        guard case .authenticate = commit.action else { return .none }
        let credentials = commit.state.credentials
        return .run(Self.authentication) { [service] in
            switch await service.verdict(on: credentials) {
            case .yes: .authenticated
            case .no(let error): .failed(error)
            }
        }
    }
}
