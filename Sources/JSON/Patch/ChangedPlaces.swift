/// The places of a document that patches have changed, as a tree.
package struct ChangedPlaces: Sendable, Hashable {
    /// The whole document.
    package static let all = ChangedPlaces(members: nil)
    package static let nothing = ChangedPlaces(members: [:])

    /// Nil if the whole value is new.
    private var members: [CodePointString: ChangedPlaces]?

    /// The names of the members that have changed; nil if the whole value is new.
    package var names: [String]? { members?.keys.map(\.text) }

    /// Whether nothing has changed.
    package var isEmpty: Bool { members?.isEmpty == true }

    /// The places in a member.
    package subscript(name: String) -> ChangedPlaces {
        guard let members else { return .all }
        return members[CodePointString(name)] ?? .nothing
    }

    /// Adds the places that a patch changes.
    package mutating func add(_ patch: JSONPatch) {
        for operation in patch.operations {
            add(operation.path.tokens[...])
            if let from = operation.from { add(from.tokens[...]) }
        }
    }

    private mutating func add(_ tokens: ArraySlice<String>) {
        guard let first = tokens.first else {
            members = nil
            return
        }
        members?[CodePointString(first), default: .nothing].add(tokens.dropFirst())
    }
}
