public import JSON
public import Stores

/// An action that a client can name: its type says in one place all that there is to know of each case.
public protocol DeclaredAction: Sendable {
    /// Every action that there is, each declared once.
    static var catalogue: ActionSchema<Self> { get }
}

/// The declared actions of a store, by their type names.
public struct ActionSchema<Action: Sendable>: Sendable {
    /// All of them, in the order in which they are listed.
    public let declarations: [ActionDeclaration<Action>]
    @usableFromInline let places: [String: Int]
    @usableFromInline let describer: @Sendable (Action) -> Description?

    /// The type of an action and its payload with secrets masked.
    public typealias Description = (type: String, payload: JSONObject)

    /// Of two declarations of one type the first stands.
    @inlinable
    public init(_ declarations: [ActionDeclaration<Action>]) {
        self.init(declarations) { action in
            for declaration in declarations {
                if let payload = declaration.write(action) { return (declaration.type, payload) }
            }
            return nil
        }
    }

    /// The declarations of several catalogues, in order.
    @inlinable
    public init(joining catalogues: ActionSchema...) {
        let describers = catalogues.map { $0.describer }
        self.init(catalogues.flatMap { $0.declarations }) { action in
            for describe in describers {
                if let description = describe(action) { return description }
            }
            return nil
        }
    }

    @usableFromInline
    init(
        _ declarations: [ActionDeclaration<Action>], describer: @escaping @Sendable (Action) -> Description?
    ) {
        self.declarations = declarations
        self.describer = describer
        places = Dictionary(declarations.enumerated().map { ($1.type, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The same declarations for actions that embed these.
    @inlinable
    public func embedded<Parent>(in path: CasePath<Parent, Action>) -> ActionSchema<Parent> {
        ActionSchema<Parent>(declarations.map { $0.embedded(in: path) }) { [describer] action in
            // Asked once for all of them, which most actions are none of.
            guard path.matches(action) else { return nil }
            var description: Description?
            path.lend(action) { description = describer($0) }
            return description
        }
    }

    /// The action that a client's JSON stands for.
    @inlinable
    public func action(of json: JSONValue) throws(ActionDecodingError) -> Action {
        guard case .object(let members) = json else { throw Self.refusal(at: [], "must be an object") }
        guard let name = members["type"] else { throw Self.refusal(at: ["type"], "is required") }
        guard case .string(let type) = name else { throw Self.refusal(at: ["type"], "must be a string") }
        guard let place = places[type] else { throw .unknownAction(type, nearest: nearest(to: type)) }
        let declaration = declarations[place]
        guard declaration.audience == .client else { throw .internalAction(type) }
        return try declaration.action(of: try Self.payload(of: members))
    }

    /// The type of an action and its payload with secrets masked; nil for one that was not declared.
    public func describe(_ action: Action) -> Description? { describer(action) }

    @usableFromInline
    static func payload(of members: JSONObject) throws(ActionDecodingError) -> JSONObject {
        let payload = members["payload"]
        if members.count > (payload == nil ? 1 : 2) {
            let unknown = members.names.first { $0 != "type" && $0 != "payload" } ?? ""
            throw refusal(at: [unknown], "is not known; an action has a type and a payload")
        }
        switch payload {
        // Where a member is required, the schema misses it in the empty payload too.
        case nil: return [:]
        case .object(let object): return object
        default: throw refusal(at: ["payload"], "must be an object")
        }
    }

    @usableFromInline
    static func refusal(at place: [String], _ detail: String) -> ActionDecodingError {
        .invalidPayload([.init(pointer: JSONPointer(tokens: place), detail: detail)])
    }

    /// Up to three types that a client may send, those that take the fewest changes of a letter first.
    @usableFromInline
    func nearest(to type: String) -> [String] {
        declarations.lazy.filter { $0.audience == .client }
            .map { (type: $0.type, distance: editDistance($0.type, type)) }
            .sorted { ($0.distance, $0.type) < ($1.distance, $1.type) }
            .prefix(3).map(\.type)
    }
}

/// Why the JSON that a client sent is no action of the catalogue.
public enum ActionDecodingError: Error, Sendable {
    /// No action has this type; the nearest known ones, best first.
    case unknownAction(String, nearest: [String])
    /// Only middleware may send it.
    case internalAction(String)
    /// What is wrong with it, each with the place in the action.
    case invalidPayload([JSONSchema.Violation])
}

/// How many letters must be inserted, removed or changed to make one word of the other (Levenshtein).
///
/// Only the first 64 bytes count, so that a long word from outside costs no more than a short one.
package func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8.prefix(64))
    let right = Array(right.utf8.prefix(64))
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in right.enumerated() {
            let change = diagonal + (a == b ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[right.count]
}
