public import JSON

/// Why a state that was kept cannot be used.
public enum RestorationFailure: Error, Sendable, Equatable {
    /// The kind's state is not ``Restorable``.
    case notRestorable
    /// What was kept is not JSON.
    case malformed(Part)
    /// At that place stands what cannot stand there; the text says what is wrong, and nothing of the value.
    case unreadable(Part, at: JSONPointer, String)
    /// It was kept by a newer program, whose schema this one does not know.
    case newerSchema(Int, known: Int)

    /// A part of what is kept of a state.
    public enum Part: String, Sendable {
        /// What everybody may see.
        case state
        /// What only the store knows.
        case hidden
    }

    /// The same of a value that stands at `step` in another.
    func below(_ step: String) -> RestorationFailure {
        guard case .unreadable(let part, let pointer, let detail) = self else { return self }
        return .unreadable(part, at: JSONPointer(tokens: [step] + pointer.tokens), detail)
    }
}

extension RestorationFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notRestorable: "a state of this kind cannot be restored"
        case .malformed(.state): "the kept state is not JSON"
        case .malformed(.hidden): "what was kept beside the state is not JSON"
        case .unreadable(.state, let pointer, let detail): "in the kept state, \(Self.place(pointer)) \(detail)"
        case .unreadable(.hidden, let pointer, let detail): "beside the kept state, \(Self.place(pointer)) \(detail)"
        case .newerSchema(let schema, let known):
            "the state was kept by a newer program: its schema is \(schema), and this program knows none beyond \(known)"
        }
    }

    private static func place(_ pointer: JSONPointer) -> String {
        pointer.tokens.isEmpty ? "the whole" : pointer.description
    }
}
