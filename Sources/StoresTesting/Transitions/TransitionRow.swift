public import Stores

/// What one action makes of each state of a table.
public struct TransitionRow<State: Sendable & Equatable, Action: Sendable>: Sendable {
    /// What is expected for one state.
    public struct Cell: Sendable {
        enum Content: Sendable {
            case named(String)
            case changes(@Sendable (inout State) -> Void)
            case ignored
            case rejected(Rejection)
        }

        let content: Content

        /// The state of that name comes of it.
        public static func becomes(_ name: String) -> Cell { Cell(content: .named(name)) }

        /// The state with that change comes of it.
        public static func changes(_ change: @escaping @Sendable (inout State) -> Void) -> Cell {
            Cell(content: .changes(change))
        }

        /// It is committed, and the state stays as it is.
        public static var stays: Cell { .changes { _ in } }

        /// There is nothing to do.
        public static var ignored: Cell { Cell(content: .ignored) }

        /// It is refused for that reason.
        public static func rejected(_ rejection: Rejection) -> Cell { Cell(content: .rejected(rejection)) }
    }

    let name: String
    let action: Action
    let cells: [Cell]

    /// The row of one action.
    ///
    /// - Parameters:
    ///   - name: names the action in a failure.
    ///   - action: what is sent in each state.
    ///   - cells: one for each state of the table, in their order.
    public init(_ name: String, _ action: Action, _ cells: Cell...) {
        self.init(name: name, action: action, cells: cells)
    }

    private init(name: String, action: Action, cells: [Cell]) {
        self.name = name
        self.action = action
        self.cells = cells
    }

    /// - Parameter states: those that the cells start from.
    func mapStates<View>(_ states: [State], _ view: (State) -> View) -> TransitionRow<View, Action> {
        let mapped = zip(cells, states).map { cell, state in cell.mapState(state, view) }
        // Cells beyond the last state stay: they are a fault that is reported.
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

/// All that is otherwise than a transition table says; its description is a table of it.
public struct TransitionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// In the order of the rows, and in each in the order of the states.
    public let mismatches: [TransitionMismatch]
    /// How many transitions the table has.
    public let count: Int

    public var description: String {
        let head = ["state", "action", "expected", "found"]
        let lines = mismatches.map { [$0.state, $0.action, $0.expected, $0.found] }
        let widths = head.indices.map { column in ([head] + lines).map { $0[column].count }.max() ?? 0 }
        var text = "\(mismatches.count) of \(count) transitions are otherwise:\n" + line(head, widths)
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

/// One transition that is otherwise than its table says.
public struct TransitionMismatch: Sendable, Hashable {
    /// The state's name; empty where a row has more cells than there are states.
    public let state: String
    /// The action's name.
    public let action: String
    /// What the table says.
    public let expected: String
    /// What came of it.
    public let found: String
    /// Where the state differs from the one that was expected; empty where it is not a question of states.
    public let difference: String

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
