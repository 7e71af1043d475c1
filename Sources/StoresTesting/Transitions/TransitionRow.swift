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

    /// - Parameters:
    ///   - name: names the action in a failure.
    ///   - cells: one for each state of the table, in their order.
    public init(_ name: String, _ action: Action, _ cells: Cell...) {
        self.name = name
        self.action = action
        self.cells = cells
    }
}
