public import RemoteServices
import Stores

/// Why no money was taken.
public enum PaymentError: Error, Sendable, Equatable {
    /// The payment service said no.
    case declined
    /// It could not be asked, or answered with what is no answer.
    case unavailable(RemoteFailure.Code)
    /// It took too long.
    case tooSlow
}
