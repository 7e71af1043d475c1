package import Stores

/// Why signing in failed.
package typealias LoginError = CodedError<LoginErrorCode>

package enum LoginErrorCode: String, Sendable, CaseIterable {
    /// The auth API said no.
    case invalidCredentials
    /// The auth API said nothing that counts; the remote call's code stands in the message.
    case networkError
}

extension LoginError {
    package static let refused = LoginError(.invalidCredentials, "the user name or the password is wrong")

    package init(_ failure: RemoteFailure) {
        self.init(.networkError, "\(failure.code.rawValue): \(failure.message)")
    }
}
