package import RemoteServices
import StoreHosting

/// The reason of a failed login.
package typealias LoginError = CodedError<LoginErrorCode>

package enum LoginErrorCode: String, Sendable, CaseIterable {
    /// The auth API rejected the credentials.
    case invalidCredentials
    /// The call failed. The message has the code of the remote call.
    case networkError
}

extension LoginError {
    package static let refused = LoginError(.invalidCredentials, "the user name or the password is wrong")

    package init(_ failure: RemoteFailure) {
        self.init(.networkError, "\(failure.code.rawValue): \(failure.message)")
    }

    /// The fields of an action that reports the error.
    static var fields: (code: Field<LoginErrorCode>, message: Field<String>) { fields(example: .refused) }
}
