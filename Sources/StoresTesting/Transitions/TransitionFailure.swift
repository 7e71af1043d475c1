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
