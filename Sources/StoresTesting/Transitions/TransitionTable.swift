public import Stores

/// The results of every action in every state, verified together.
///
/// A table has a column for each state and a row for each action. A missing cell is a failure.
///
///     let table = TransitionTable(
///         states: ["red": .red, "green": .green],
///         TransitionRow("go", .go, .becomes("green"), .ignored),
///         TransitionRow("stop", .stop, .rejected("too-fast"), .becomes("red")))
///     try table.verify(TrafficLight())
public struct TransitionTable<State: Sendable & Equatable, Action: Sendable>: Sendable {
    /// The states with their names, in the order of the columns.
    package let states: [(name: String, state: State)]
    /// The rows, in order.
    package let rows: [TransitionRow<State, Action>]

    /// A table with a column for each state and a row for each action.
    ///
    /// - Parameters:
    ///   - states: each with a unique name.
    ///   - rows: one for each action.
    public init(states: KeyValuePairs<String, State>, _ rows: TransitionRow<State, Action>...) {
        self.init(states: states.map { ($0.key, $0.value) }, rows: rows)
    }

    private init(states: [(name: String, state: State)], rows: [TransitionRow<State, Action>]) {
        self.states = states
        self.rows = rows
    }

    /// Converts the table to one of a view of the states.
    package func mapStates<View>(_ view: (State) -> View) -> TransitionTable<View, Action> {
        TransitionTable<View, Action>(
            states: states.map { ($0.name, view($0.state)) }, rows: rows.map { $0.mapStates(states.map(\.state), view) }
        )
    }

    /// Verifies every action in every state. Also verifies that `decide` and `apply` agree, and that actions that are not accepted
    /// leave no trace.
    ///
    /// - Throws: all mismatches.
    public func verify(_ reducer: some Reducer<State, Action>) throws(TransitionFailure) {
        var mismatches: [TransitionMismatch] = []
        for trial in trials {
            do throws(BrokenReducer) {
                let found = try Transition.of(trial.row.action, in: trial.start, by: reducer)
                if let mismatch = mismatch(trial, found) { mismatches.append(mismatch) }
            } catch {
                mismatches.append(TransitionMismatch(trial.state, trial.row.name, "a consistent reducer", error.text))
            }
        }
        try report(mismatches)
    }

    /// Verifies every action in every state.
    ///
    /// - Throws: all mismatches.
    public func verify(_ reducer: some AsyncReducer<State, Action>) async throws(TransitionFailure) {
        try await verify { _, state, action in await Transition.of(action, in: state, by: reducer) }
    }

    /// Verifies every action in every state by a function of the test, for example through a store or a server.
    ///
    /// - Parameter transition: brings the store to a state and returns the result of the action.
    /// - Throws: all mismatches.
    package func verify(
        by transition: (_ name: String, _ state: State, _ action: Action) async -> Transition<State>
    ) async throws(TransitionFailure) {
        var mismatches: [TransitionMismatch] = []
        for trial in trials {
            let found = await transition(trial.state, trial.start, trial.row.action)
            if let mismatch = mismatch(trial, found) { mismatches.append(mismatch) }
        }
        try report(mismatches)
    }
}

extension TransitionTable {
    private struct Trial {
        let state: String
        let start: State
        let row: TransitionRow<State, Action>
        let cell: TransitionRow<State, Action>.Cell?
    }

    private var trials: [Trial] {
        rows.flatMap { row in
            states.enumerated().map { index, column in
                Trial(
                    state: column.name, start: column.state, row: row,
                    cell: index < row.cells.count ? row.cells[index] : nil)
            }
        }
    }

    private func mismatch(_ trial: Trial, _ found: Transition<State>) -> TransitionMismatch? {
        let expected = expectation(trial)
        if let transition = expected.transition, transition == found { return nil }
        var details = ""
        if case .becomes(let wanted)? = expected.transition, case .becomes(let state) = found {
            details = difference(between: wanted, and: state)
        }
        return TransitionMismatch(trial.state, trial.row.name, expected.text, text(of: found, trial), details)
    }

    /// The expected result, nil if the cell is missing or names no state, and its text.
    private func expectation(_ trial: Trial) -> (transition: Transition<State>?, text: String) {
        switch trial.cell?.content {
        case nil: return (nil, "no cell")
        case .named(let name):
            let state = states.first { $0.name == name }?.state
            return (state.map { .becomes($0) }, "becomes \(name)" + (state == nil ? ", an unknown state" : ""))
        case .changes(let change):
            var state = trial.start
            change(&state)
            return (.becomes(state), text(of: .becomes(state), trial))
        case .ignored: return (.ignored, "ignored")
        case .rejected(let rejection): return (.rejected(rejection), "rejected \(rejection)")
        }
    }

    private func text(of transition: Transition<State>, _ trial: Trial) -> String {
        switch transition {
        case .becomes(trial.start): "stays"
        case .becomes(let state): "becomes " + (states.first { $0.state == state }?.name ?? "another state")
        case .ignored: "ignored"
        case .rejected(let rejection): "rejected \(rejection)"
        }
    }

    private func report(_ mismatches: [TransitionMismatch]) throws(TransitionFailure) {
        let tooMany = rows.filter { $0.cells.count > states.count }.map { row in
            TransitionMismatch("", row.name, "\(row.cells.count) cells", "\(states.count) states")
        }
        guard mismatches.isEmpty, tooMany.isEmpty else {
            throw TransitionFailure(mismatches: mismatches + tooMany, count: rows.count * states.count)
        }
    }
}

/// The result of an action in a state.
package enum Transition<State: Sendable & Equatable>: Sendable, Equatable {
    /// The action is committed and leads to this state.
    case becomes(State)
    /// The action is ignored.
    case ignored
    /// The action is rejected for this reason.
    case rejected(Rejection)
}

extension Transition {
    /// The result of `reducer`.
    ///
    /// - Throws: `BrokenReducer` if `apply` and `decide` disagree, or if an action that was not accepted leaves a trace.
    static func of<Action>(
        _ action: Action, in state: State, by reducer: some Reducer<State, Action>
    ) throws(BrokenReducer) -> Transition {
        var next = state
        let decision = reducer.apply(action, to: &next)
        guard reducer.decide(action, in: state) == decision else {
            throw BrokenReducer("apply: \(decision), decide: \(reducer.decide(action, in: state))")
        }
        if decision == .accept { return .becomes(next) }
        guard next == state else {
            throw BrokenReducer("\(decision), but leaves a trace: " + difference(between: state, and: next))
        }
        if case .reject(let rejection) = decision { return .rejected(rejection) }
        return .ignored
    }

    /// The result of `reducer`.
    static func of<Action>(
        _ action: Action, in state: State, by reducer: some AsyncReducer<State, Action>
    ) async -> Transition {
        do throws(Rejection) {
            return try await reducer.reduce(state, action, show: { _ in }).map { .becomes($0) } ?? .ignored
        } catch {
            return .rejected(error)
        }
    }
}

/// A reducer that contradicts itself.
struct BrokenReducer: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// SplitMix64: the same seed gives the same numbers, so a failure can be repeated.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// A generator with a seed.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
