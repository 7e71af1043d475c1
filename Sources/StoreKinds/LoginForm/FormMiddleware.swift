package import Stores

/// Asks the auth API while the form is busy.
package struct FormMiddleware: Middleware {
    package static let authentication: EffectID = "form.authenticate"

    private let service: AuthService

    package init(_ service: AuthService) { self.service = service }

    package func respond(to commit: borrowing Commit<LoginForm, FormAction>) -> Effect<FormAction> {
        switch commit.action {
        case .authenticate:
            let credentials = commit.state.credentials
            return .run(Self.authentication) { [service] in
                switch await service.verdict(on: credentials) {
                case .yes: .authenticated
                case .no(let error): .failed(error)
                }
            }
        case .reset: return .cancel(Self.authentication)
        case .set, .ackError, .authenticated, .failed: return .none
        }
    }

    /// A call that was cut off has failed, and a password that was not kept is as if none had been entered.
    package func resume(_ state: LoginForm) -> Effect<FormAction> {
        let failed: Effect<FormAction> = state.isBusy ? .dispatch(.failed(LoginError(.cutOff))) : .none
        guard !state.isAuthenticated, state.credentials.lacksPassword else { return failed }
        return .merge(failed, .dispatch(.set([.password(Secret(""))])))
    }
}
