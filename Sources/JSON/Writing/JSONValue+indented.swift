extension JSONValue {
    /// JSON for people: one line for each member, and for each element of a list that has objects or lists in it; two spaces for each
    /// level.
    package var indented: String { indented(by: "") }

    private func indented(by margin: String) -> String {
        let inner = margin + "  "
        switch self {
        case .array(let elements) where !elements.contains(where: \.isContainer):
            return "[" + elements.map(\.description).joined(separator: ", ") + "]"
        case .array(let elements):
            let lines = elements.map { inner + $0.indented(by: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(margin)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { name, value in
                "\(inner)\(JSONValue.string(name)): \(value.indented(by: inner))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
        default: return description
        }
    }

    private var isContainer: Bool { asArray != nil || asObject != nil }
}
