public import Stores

#if canImport(Testing)
    import Testing
#endif

/// What was otherwise than the test said.
///
/// Differences are those of ``difference(between:and:)``, with what the test said before the arrow.
public enum TestStoreFailure: Error, Sendable, Hashable {
    /// The action ended otherwise.
    case outcome(of: String, difference: String)
    /// Another action came.
    case action(difference: String)
    /// The action led to another state.
    case state(after: String, difference: String)
    /// The action did not come, though effects may be asleep until those moments.
    case nothingCame(expected: String, asleepUntil: [Int], now: Int)
    /// Actions came that the test has not received.
    case notReceived([String])
    /// Effects that these actions set going have not ended.
    case stillRunning([String])
    /// The store had to contain something.
    case faults([StoreFault])
    /// Effects go on for ever without waiting for anything.
    case endless
}

extension TestStoreFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .outcome(let action, let difference): "\(action) ended otherwise: \(difference)"
        case .action(let difference): "another action came:\n\(difference)"
        case .state(let action, let difference): "\(action) led to another state:\n\(difference)"
        case .nothingCame(let action, let moments, let now):
            "\(action) did not come"
                + moments.map { ", something sleeps for \($0 - now) ms" }.joined()
        case .notReceived(let actions): "not received:\n" + actions.joined(separator: "\n")
        case .stillRunning(let actions): "effects still run of:\n" + actions.joined(separator: "\n")
        case .faults(let faults): faults.map(\.description).joined(separator: "\n")
        case .endless: "the effects go on for ever: one of them never waits"
        }
    }

    /// Fails the test at hand, where nobody is left who could be thrown at.
    func record() {
        #if canImport(Testing)
            Issue.record(self)
        #else
            // Without Swift Testing no test can be told, and a failure must not pass in silence.
            fatalError(description)
        #endif
    }
}
