import Stores

/// What has come to a test store, and how far the test has followed it.
struct TestLog<State: Sendable, Action: Sendable>: Sendable {
    /// An action that reached the reducer.
    struct Event: Sendable {
        let action: Action
        let outcome: Outcome
        /// The state after it; nil where it was not committed.
        let state: State?

        var text: String { stableDescription(of: action) + (outcome == .committed ? "" : ", \(outcome.text)") }
    }

    /// The state as far as the test has said it.
    var followed: State
    /// What came and was not received, in order.
    var events: [Event] = []
    /// The actions whose effects go on.
    var running: [(id: Int, action: Action)] = []
    /// Whether a failure was thrown: what is left behind it is no news.
    var hasFailed = false
    private var faults: [StoreFault] = []
    private var lastID = 0

    init(followed: State) { self.followed = followed }

    mutating func takeFirst() -> Event? { events.isEmpty ? nil : events.removeFirst() }

    mutating func begin(_ action: Action) -> Int {
        lastID += 1
        running.append((lastID, action))
        return lastID
    }

    /// A broken invariant is not noted: it is a rejection as well, which the test has to say.
    mutating func note(_ fault: StoreFault) {
        if case .cascadeStopped = fault { faults.append(fault) }
    }

    mutating func takeFaults() -> [StoreFault] {
        defer { faults = [] }
        return faults
    }
}

extension Outcome {
    /// In words; the index is left out, since a test store takes one action at a time.
    var text: String {
        guard case .rejected(let rejection, _) = self else { return "\(self)" }
        return "rejected \(rejection)" + (rejection.isFault ? " (a fault)" : "")
    }
}
