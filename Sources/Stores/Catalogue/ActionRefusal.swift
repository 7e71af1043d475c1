public import JSON

/// Why the JSON that a client sent is no action of the catalogue.
public enum ActionRefusal: Error, Sendable {
    /// No action has this type; the nearest known ones, best first.
    case unknownAction(String, nearest: [String])
    /// Only middleware may send it.
    case internalAction(String)
    /// What is wrong with it, each with the place in the action.
    case invalidPayload([JSONSchema.Violation])
}
