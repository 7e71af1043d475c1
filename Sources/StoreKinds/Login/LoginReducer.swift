package import Stores

/// The rules of the login: a table of states and actions.
package struct LoginReducer: Reducer {
    package init() {}

    package func decide(_ action: LoginAction, in state: LoginState) -> Decision {
        switch action {
        case .enteringCredential: Self.decideEntering(in: state.status)
        case .authenticate: Self.decideAuthenticating(in: state.status)
        case .ackError: state.error == nil ? .ignore : .accept
        case .logout: state.isAuthenticated ? .accept : .ignore
        case .authenticated, .failed: state.isLoading ? .accept : .ignore
        }
    }

    package func reduce(_ state: inout LoginState, _ action: LoginAction) {
        switch action {
        case .enteringCredential(let credential):
            state.credentials.enter(credential)
            // The error stays until it is acknowledged.
            if state.error == nil { state.status = state.validated }
        case .authenticate: state.status = .authenticating
        case .ackError: state.status = state.validated
        case .logout: state = LoginState()
        case .authenticated:
            state.status = .authenticated
            state.credentials.forgetPassword()
        case .failed(let error): state.status = .failure(error)
        }
    }

    private static func decideEntering(in status: LoginState.Status) -> Decision {
        switch status {
        case .idle, .validatingCredentials, .validCredentials, .failure: .accept
        case .authenticating: .reject("authenticating")
        case .authenticated: .reject("already-authenticated")
        }
    }

    private static func decideAuthenticating(in status: LoginState.Status) -> Decision {
        switch status {
        case .validCredentials: .accept
        case .idle, .validatingCredentials: .reject("invalid-credentials-format")
        case .authenticating: .reject("authenticating")
        case .authenticated: .reject("already-authenticated")
        case .failure: .reject("error-not-acknowledged")
        }
    }
}

extension LoginState {
    fileprivate var validated: Status { credentials.areValid ? .validCredentials : .validatingCredentials }
}

/// Calls the auth API after the reducer has accepted `authenticate`.
///
/// Only the end of the session cancels the call: the reducer rejects every other way out of `authenticating`.
package struct LoginMiddleware: Middleware {
    package static let authentication: EffectID = "login.authenticate"

    private let service: AuthService

    package init(_ service: AuthService) { self.service = service }

    package func respond(to commit: borrowing Commit<LoginState, LoginAction>) -> Effect<LoginAction> {
        guard case .authenticate = commit.action else { return .none }
        let credentials = commit.state.credentials
        return .run(Self.authentication) { [service] in
            switch await service.authenticate(credentials) {
            case .yes: .authenticated
            case .no(let error): .failed(error)
            }
        }
    }

    /// An interrupted call counts as failed. A password that was not persisted counts as not entered.
    package func resume(_ state: LoginState) -> Effect<LoginAction> {
        let failed: Effect<LoginAction> = state.isLoading ? .dispatch(.failed(LoginError(.interrupted))) : .none
        guard !state.isAuthenticated, state.credentials.lacksPassword else { return failed }
        return .merge(failed, .dispatch(.enteringCredential(.password(Secret("")))))
    }
}
