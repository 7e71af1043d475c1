public import JSON

/// The part of a state that a client asks for.
@usableFromInline
package enum Selection: Sendable, Hashable {
    /// The whole state.
    case root
    /// The value that the pointer finds in the state's JSON; `null` if it finds nothing.
    case pointer(JSONPointer)
    /// The value of a selector that the kind declares, or the part of it that the pointer finds; `null` if it finds nothing.
    case named(String, at: JSONPointer = .root)

    /// The part that `pointer` finds in this one.
    package func appending(_ pointer: JSONPointer) -> Selection {
        switch self {
        case .root: .pointer(pointer)
        case .pointer(let base): .pointer(JSONPointer(tokens: base.tokens + pointer.tokens))
        case .named(let name, let base): .named(name, at: JSONPointer(tokens: base.tokens + pointer.tokens))
        }
    }
}
