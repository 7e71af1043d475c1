/// What was otherwise than the test said.
public enum TestStoreFailure: Error, Sendable, Equatable {
    case outcome(expected: String, found: String)
    case action(expected: String, found: String)
    case state(expected: String, found: String)
    /// Nothing runs any more that could send the action.
    case nothingCame(expected: String)
    /// An action came that the test has not received.
    case notReceived(String)
}
