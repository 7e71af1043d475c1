package import Stores

/// How far signing in has come: a finite state, from which the view model is derived.
package struct LoginState: StateSlice, Equatable {
    package static let key: StaticString = "login"

    package enum Status: Sendable, Equatable {
        case idle
        case validatingCredentials
        case validCredentials
        case authenticating
        case authenticated
        case failure(LoginError)
    }

    package var status = Status.idle
    /// Never shown.
    package var credentials = Credentials()

    package init() {}

    package var hasValidCredentials: Bool { status == .validCredentials }
    package var isLoading: Bool { status == .authenticating }
    package var isAuthenticated: Bool { status == .authenticated }
    package var error: LoginError? { if case .failure(let error) = status { error } else { nil } }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.member("status", status.name)
        members.member("hasValidCredentials", hasValidCredentials)
        members.member("isLoading", isLoading)
        members.member("isAuthenticated", isAuthenticated)
        members.member("error", error)
    }
}

extension LoginState.Status {
    package var name: String {
        switch self {
        case .idle: "idle"
        case .validatingCredentials: "validatingCredentials"
        case .validCredentials: "validCredentials"
        case .authenticating: "authenticating"
        case .authenticated: "authenticated"
        case .failure: "failure"
        }
    }
}
