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
