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

    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        guard let status = Status(name: try kept.member("status"), try kept.member("error")) else {
            throw kept.unreadable("is none of the statuses that there are, or does not fit the error", below: "status")
        }
        self.status = status
        credentials = try Credentials(restoring: kept)
    }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.member("status", status.name)
        members.member("hasValidCredentials", hasValidCredentials)
        members.member("isLoading", isLoading)
        members.member("isAuthenticated", isAuthenticated)
        members.member("error", error)
    }

    package func visitHidden(_ members: inout HiddenMembers) { credentials.visitHidden(&members) }
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

    /// The status of that name; nil where there is none, or where an error is missing or too many.
    fileprivate init?(name: String, _ error: LoginError?) {
        let simple: [Self] = [.idle, .validatingCredentials, .validCredentials, .authenticating, .authenticated]
        guard let status = (error.map { [.failure($0)] } ?? simple).first(where: { $0.name == name }) else {
            return nil
        }
        self = status
    }
}
