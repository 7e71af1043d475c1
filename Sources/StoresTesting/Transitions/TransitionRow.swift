public import Stores

/// The expected result of one action in each state of a table.
public struct TransitionRow<State: Sendable & Equatable, Action: Sendable>: Sendable {
    /// The expected result in one state.
    public struct Cell: Sendable {
        enum Content: Sendable {
            case named(String)
            case changes(@Sendable (inout State) -> Void)
            case ignored
            case rejected(Rejection)
        }

        let content: Content

        /// The action leads to the state with this name.
        public static func becomes(_ name: String) -> Cell { Cell(content: .named(name)) }

        /// The action changes the state like this.
        public static func changes(_ change: @escaping @Sendable (inout State) -> Void) -> Cell {
            Cell(content: .changes(change))
        }

        /// The action is committed and leaves the state unchanged.
        public static var stays: Cell { .changes { _ in } }

        /// The action is ignored.
        public static var ignored: Cell { Cell(content: .ignored) }

        /// The action is rejected for this reason.
        public static func rejected(_ rejection: Rejection) -> Cell { Cell(content: .rejected(rejection)) }
    }

    let name: String
    let action: Action
    let cells: [Cell]

    /// The row of one action.
    ///
    /// - Parameters:
    ///   - name: the name of the action in failures.
    ///   - action: sent in each state.
    ///   - cells: one for each state of the table, in the same order.
    public init(_ name: String, _ action: Action, _ cells: Cell...) {
        self.init(name: name, action: action, cells: cells)
    }

    private init(name: String, action: Action, cells: [Cell]) {
        self.name = name
        self.action = action
        self.cells = cells
    }

    /// - Parameter states: the states of the cells.
    func mapStates<View>(_ states: [State], _ view: (State) -> View) -> TransitionRow<View, Action> {
        let mapped = zip(cells, states).map { cell, state in cell.mapState(state, view) }
        // Keep cells beyond the last state: `verify` reports them.
        let rest = cells.dropFirst(states.count).map { _ in TransitionRow<View, Action>.Cell.ignored }
        return TransitionRow<View, Action>(name: name, action: action, cells: mapped + rest)
    }
}

extension TransitionRow.Cell {
    fileprivate func mapState<View>(_ state: State, _ view: (State) -> View) -> TransitionRow<View, Action>.Cell {
        switch content {
        case .named(let name): return .becomes(name)
        case .ignored: return .ignored
        case .rejected(let rejection): return .rejected(rejection)
        case .changes(let change):
            var changed = state
            change(&changed)
            let shown = view(changed)
            return .changes { $0 = shown }
        }
    }
}

/// All mismatches of a transition table. The description is a table.
public struct TransitionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// In the order of the rows, then of the states.
    package let mismatches: [TransitionMismatch]
    /// The number of transitions of the table.
    package let count: Int

    public var description: String {
        let head = ["state", "action", "expected", "found"]
        let lines = mismatches.map { [$0.state, $0.action, $0.expected, $0.found] }
        let widths = head.indices.map { column in ([head] + lines).map { $0[column].count }.max() ?? 0 }
        var text = "\(mismatches.count) of \(count) transitions differ from the table:\n" + line(head, widths)
        for (mismatch, line) in zip(mismatches, lines) {
            text += "\n" + self.line(line, widths)
            for detail in mismatch.difference.split(separator: "\n") { text += "\n    " + detail }
        }
        return text
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
        return padded.joined(separator: " | ").trimmingSpaces()
    }
}

/// One transition that differs from its table.
package struct TransitionMismatch: Sendable, Hashable {
    /// The name of the state; empty if a row has more cells than there are states.
    package let state: String
    /// The name of the action.
    package let action: String
    /// The result in the table.
    package let expected: String
    /// The actual result.
    package let found: String
    /// The difference of the states; empty if the results differ otherwise.
    package let difference: String

    init(_ state: String, _ action: String, _ expected: String, _ found: String, _ difference: String = "") {
        self.state = state
        self.action = action
        self.expected = expected
        self.found = found
        self.difference = difference
    }
}

extension String {
    fileprivate func trimmingSpaces() -> String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
