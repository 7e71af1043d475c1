public import Stores

#if canImport(Testing)
    import Testing
#endif

/// A difference between an assertion of the test and the store.
///
/// Differences are those of ``difference(between:and:)``. The asserted value is before the arrow.
public enum TestStoreFailure: Error, Sendable, Hashable {
    /// The action had another outcome.
    case outcome(of: String, difference: String)
    /// Another action was received.
    case action(difference: String)
    /// The action led to another state.
    case state(after: String, difference: String)
    /// The action was not received. Effects may sleep until these times.
    case nothingReceived(expected: String, asleepUntil: [Int], now: Int)
    /// The store has committed actions that the test has not received.
    case notReceived([String])
    /// Effects of these actions still run.
    case stillRunning([String])
    /// The store has reported faults.
    case faults([StoreFault])
    /// Effects run endlessly, without waiting.
    case endless
}

extension TestStoreFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .outcome(let action, let difference): "\(action) had another outcome: \(difference)"
        case .action(let difference): "another action was received:\n\(difference)"
        case .state(let action, let difference): "\(action) led to another state:\n\(difference)"
        case .nothingReceived(let action, let moments, let now):
            "\(action) was not received"
                + moments.map { ", an effect sleeps for \($0 - now) ms" }.joined()
        case .notReceived(let actions): "not received:\n" + actions.joined(separator: "\n")
        case .stillRunning(let actions): "effects of these actions still run:\n" + actions.joined(separator: "\n")
        case .faults(let faults): faults.map(\.description).joined(separator: "\n")
        case .endless: "the effects run endlessly: one of them never waits"
        }
    }

    /// Fails the current test. For a deinitializer, which cannot throw.
    func record() {
        #if canImport(Testing)
            Issue.record(self)
        #else
            // Without Swift Testing there is no test to fail, and a failure must not pass silently.
            fatalError(description)
        #endif
    }
}
