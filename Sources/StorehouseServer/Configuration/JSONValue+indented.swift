import JSON

extension JSONValue {
    /// The value as JSON for people: a member a line, two spaces a level; lists and empty objects in one line.
    var indented: String {
        indented(by: "")
    }

    private func indented(by margin: String) -> String {
        if case .array(let elements) = self {
            return "[" + elements.map { $0.indented(by: margin) }.joined(separator: ", ") + "]"
        }
        guard case .object(let members) = self, !members.isEmpty else { return description }
        let inner = margin + "  "
        let lines = members.map { name, value in
            "\(inner)\(JSONValue.string(name)): \(value.indented(by: inner))"
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
    }
}
