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

    /// A call that was cut off has failed, and a password that was not kept is as if none had been entered.
    package func resume(_ state: LoginState) -> Effect<LoginAction> {
        let failed: Effect<LoginAction> = state.isLoading ? .dispatch(.failed(LoginError(.cutOff))) : .none
        guard !state.isAuthenticated, state.credentials.lacksPassword else { return failed }
        return .merge(failed, .dispatch(.enteringCredential(.password(Secret("")))))
    }
}
