import JSON

/// Why a persisted state cannot be restored.
public enum RestorationError: Error, Sendable, Equatable {
    /// The kind's state is not ``Restorable``.
    case notRestorable
    /// The part is not JSON.
    case malformed(RestorationError.Section)
    /// The value at that place, a JSON Pointer, is invalid. The text says why, without quoting the value.
    case unreadable(RestorationError.Section, at: String, String)
    /// A newer program persisted the state, and this program does not know its schema.
    case newerSchema(Int, known: Int)

    /// A part of a persisted state.
    public enum Section: String, Sendable {
        /// The part that clients see.
        case state
        /// The private part.
        case privateState
    }

    /// This error as that of the value which contains the unreadable one at `step`.
    func below(_ step: String) -> RestorationError {
        guard case .unreadable(let part, let pointer, let detail) = self else { return self }
        return .unreadable(part, at: JSONPointer(tokens: [step]).description + pointer, detail)
    }
}

extension RestorationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notRestorable: "a state of this kind cannot be restored"
        case .malformed(.state): "the persisted state is not JSON"
        case .malformed(.privateState): "the persisted private state is not JSON"
        case .unreadable(.state, let pointer, let detail): "in the persisted state, \(Self.place(pointer)) \(detail)"
        case .unreadable(.privateState, let pointer, let detail):
            "in the persisted private state, \(Self.place(pointer)) \(detail)"
        case .newerSchema(let schema, let known):
            "a newer program persisted the state: its schema is \(schema), but this program knows schemas up to \(known) only"
        }
    }

    /// A sentence that tells operators how to mend the error; nil where there is no general advice.
    package var remedy: String? {
        switch self {
        case .unreadable: "If the type of a member has changed, add a migration to the definition of the store."
        case .newerSchema: "Run the newer program, or restore a backup that this one has made."
        case .notRestorable, .malformed: nil
        }
    }

    private static func place(_ pointer: String) -> String {
        pointer.isEmpty ? "the whole" : pointer
    }
}
