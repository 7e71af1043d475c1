import Stores

/// The events of a test store, and the state up to which the test has asserted them.
struct TestLog<State: Sendable, Action: Sendable>: Sendable {
    /// An action that reached the reducer.
    struct Event: Sendable {
        let action: Action
        let outcome: Outcome
        /// The state after the action; nil if it was not committed.
        let state: State?

        var text: String { stableDescription(of: action) + (outcome == .committed ? "" : ", \(outcome.text)") }
    }

    /// The state after the last event that the test has asserted.
    var assertedState: State
    /// Events that the test has not received, in order.
    var events: [Event] = []
    /// Actions whose effects still run.
    var running: [(id: Int, action: Action)] = []
    /// Whether a failure was thrown. Later failures would only follow from it.
    var hasFailed = false
    private var faults: [StoreFault] = []
    private var lastID = 0

    init(_ state: State) { assertedState = state }

    mutating func takeFirst() -> Event? { events.isEmpty ? nil : events.removeFirst() }

    mutating func begin(_ action: Action) -> Int {
        lastID += 1
        running.append((lastID, action))
        return lastID
    }

    /// Broken invariants are left out: they are also rejections, which the test must assert.
    mutating func record(_ fault: StoreFault) {
        if case .cascadeStopped = fault { faults.append(fault) }
    }

    mutating func takeFaults() -> [StoreFault] {
        defer { faults = [] }
        return faults
    }
}

extension Outcome {
    /// A description without the index: a test store dispatches one action at a time.
    var text: String {
        guard case .rejected(let rejection, _) = self else { return "\(self)" }
        return "rejected \(rejection)" + (rejection.isFault ? " (a fault)" : "")
    }
}
