package import Stores

/// The rules of signing in: one table of states and actions.
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
            // An error stays until it is acknowledged.
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
