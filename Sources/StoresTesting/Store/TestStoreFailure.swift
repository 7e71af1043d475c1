public import Stores

#if canImport(Testing)
    import Testing
#endif

/// A difference between an assertion of the test and the store.
///
/// Differences are those of ``difference(between:and:)``. The asserted value is before the arrow.
public enum TestStoreFailure: Error, Sendable, Hashable {
    /// The action had another outcome.
    case outcome(of: String, expected: String, actual: String)
    /// Another action was received.
    case action(difference: String)
    /// The action led to another state.
    case state(after: String, difference: String)
    /// The closure of the assertion changes nothing, although it claims a change.
    case nothingChanged(after: String)
    /// The action was not received. Effects may sleep until these times.
    case nothingReceived(expected: String, asleepUntil: [Int], now: Int)
    /// No action was received, or no effect runs, that could be skipped.
    case nothingToSkip(String)
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
        case .outcome(let action, let expected, let actual):
            "\(action) had another outcome: expected \(expected), actual \(actual)"
        case .action(let difference): "another action was received (expected → actual):\n\(difference)"
        case .state(let action, let difference): "\(action) led to another state (expected → actual):\n\(difference)"
        case .nothingChanged(let action):
            "\(action) was expected to change the state, but the closure of the assertion changes nothing: leave the "
                + "closure out if no change is expected"
        case .nothingToSkip(let what): "expected \(what) to skip, actual none"
        case .nothingReceived(let action, let moments, let now):
            "expected \(action), actual none: it was not received"
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

/// Whether the test of a ``TestStore`` must assert everything.
public enum Exhaustivity: Sendable, Hashable {
    /// It must assert every action that is sent and the whole change of the state.
    case on
    /// It asserts what it names. A closure of an assertion gets the state after the action and sets what it expects of it; the rest
    /// is not compared. Actions before the received one are skipped, and effects may run when the test ends. The outcomes of
    /// actions are asserted all the same.
    ///
    /// - Parameter showSkipped: whether the test store shows what was skipped.
    case off(showSkipped: Bool = false)
}

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
    var exhaustivity: Exhaustivity

    init(_ state: State, _ exhaustivity: Exhaustivity) {
        assertedState = state
        self.exhaustivity = exhaustivity
    }

    mutating func takeFirst() -> Event? { events.isEmpty ? nil : events.removeFirst() }

    /// Takes the next event. Without exhaustivity, the next one that matches, and skips those before it.
    mutating func takeNext(_ matches: (Action) -> Bool) -> (event: Event?, skipped: [Event]) {
        guard exhaustivity != .on else { return (takeFirst(), []) }
        guard let place = events.firstIndex(where: { matches($0.action) }) else { return (nil, []) }
        let skipped = skip(place)
        return (takeFirst(), skipped)
    }

    /// Takes events as if the test had received them.
    mutating func skip(_ count: Int? = nil) -> [Event] {
        let skipped = events.prefix(count ?? events.count)
        events.removeFirst(skipped.count)
        assertedState = skipped.last { $0.state != nil }?.state ?? assertedState
        return Array(skipped)
    }

    mutating func begin(_ action: Action) -> Int {
        lastID += 1
        running.append((lastID, action))
        return lastID
    }

    /// Broken invariants are left out: they are also rejections, which the test must assert.
    mutating func record(_ fault: StoreFault) {
        switch fault {
        case .cascadeStopped, .undeclaredAction, .sentWithoutUser, .actionLost, .stateTooLarge, .awaitedInReducer,
            .reducerStalled:
            faults.append(fault)
        case .invariantBroken: break
        }
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
