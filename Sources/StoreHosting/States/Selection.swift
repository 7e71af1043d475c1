public import JSON
public import Stores

/// The part of a state that a client asks for.
@usableFromInline
package enum Selection: Sendable, Hashable {
    /// The whole state.
    case root
    /// The value that the pointer finds in the state's JSON; `null` if it finds nothing.
    case pointer(JSONPointer)
    /// The value of a selector that the kind declares, or the part of it that the pointer finds; `null` if it finds nothing.
    case named(String, at: JSONPointer = .root)
    /// The value that such a selector has for a reader. Readers are the same if all that is known of them is: a selector may use it.
    // Indirect, so that the others are no larger.
    indirect case personal(String, at: JSONPointer, for: Actor)

    /// The part that `pointer` finds in this one.
    package func appending(_ pointer: JSONPointer) -> Selection {
        switch self {
        case .root: .pointer(pointer)
        case .pointer(let base): .pointer(base.appending(pointer))
        case .named(let name, let base): .named(name, at: base.appending(pointer))
        case .personal(let name, let base, let reader): .personal(name, at: base.appending(pointer), for: reader)
        }
    }

    /// The actor whose value it is; nil if all readers have one value.
    package var reader: Actor? { if case .personal(_, _, let reader) = self { reader } else { nil } }
}

extension JSONPointer {
    fileprivate func appending(_ pointer: JSONPointer) -> JSONPointer { JSONPointer(tokens: tokens + pointer.tokens) }
}
