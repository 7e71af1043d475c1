public import JSON
public import Stores

/// An action that clients can send. Its type declares all cases in one place.
@usableFromInline
package protocol DeclaredAction: Sendable {
    /// The declarations of all actions.
    static var catalogue: ActionSchema<Self> { get }
}

/// The declared actions of a store, by their type names.
@usableFromInline
package struct ActionSchema<Action: Sendable>: Sendable {
    /// The declarations, in the order of listings.
    @usableFromInline
    package let declarations: [ActionDeclaration<Action>]
    /// The errors in the declarations, one sentence each; empty if they can be used. A server refuses to start with
    /// problems.
    @usableFromInline
    package let problems: [String]
    @usableFromInline let indices: ActionTypeTable
    @usableFromInline let encoder: @Sendable (Action) -> Description?
    /// The members of the state that an action can change; nil if that is not known.
    @usableFromInline var reach: (@Sendable (Action) -> MemberSet)?

    /// The type of an action, and its payload with redacted secrets.
    @usableFromInline
    package typealias Description = (type: String, payload: JSONObject)

    /// Each type must be declared once; see ``problems``.
    @inlinable
    package init(_ declarations: [ActionDeclaration<Action>]) {
        // A chain, because a loop would retain each of them, which is slow while other threads do so too.
        var encoder: @Sendable (Action) -> Description? = { _ in nil }
        for declaration in declarations.reversed() {
            encoder = { [next = encoder] action in
                if let payload = declaration.write(action) { return (declaration.type, payload) }
                return next(action)
            }
        }
        self.init(declarations, encoder: encoder)
    }

    @usableFromInline
    init(
        _ declarations: [ActionDeclaration<Action>], problems: [String] = [],
        encoder: @escaping @Sendable (Action) -> Description?
    ) {
        self.declarations = declarations
        self.encoder = encoder
        indices = ActionTypeTable(declarations.map(\.type))
        let duplicates = declarations.enumerated().filter { [indices] in indices[$1.type] != $0 }.map {
            "The action type \"\($1.type)\" is declared twice."
        }
        self.problems = problems + duplicates.filter { !problems.contains($0) }
    }

    /// Converts these declarations for actions that embed these.
    @inlinable
    package func embedded<Parent>(in path: CasePath<Parent, Action>) -> ActionSchema<Parent> {
        ActionSchema<Parent>(declarations.map { $0.embedded(in: path) }, problems: problems) { [encoder] action in
            // One check instead of one per declaration: most actions of a store belong to other parts.
            var description: Description?
            path.extract(action) { description = encoder($0) }
            return description
        }
    }

    /// These declarations, with the members of the state that an action can change.
    @usableFromInline
    func reaching(_ reach: @escaping @Sendable (Action) -> MemberSet) -> ActionSchema {
        var catalogue = self
        catalogue.reach = reach
        return catalogue
    }

    /// Decodes the action that a client sent.
    @inlinable
    package func action(of json: JSONValue, from actor: Actor? = nil) throws(ActionDecodingError) -> Action {
        try indexedAction(of: json, from: actor, isRepeated: false).action
    }

    /// The index of a type among the declarations; nil if none has it.
    @usableFromInline
    func index(of type: String) -> Int? { indices[type] }

    /// Decodes the action that a client sent, and finds the index of its declaration.
    ///
    /// - Parameters:
    ///   - actor: the client; nil for an anonymous one.
    ///   - isRepeated: whether it has the values that the server has filled in before.
    @inlinable
    func indexedAction(
        of json: JSONValue, from actor: Actor?, isRepeated: Bool
    ) throws(ActionDecodingError) -> (action: Action, index: Int) {
        guard case .object(let members) = json else { throw Self.error(at: [], "must be an object") }
        guard let name = members["type"] else { throw Self.error(at: ["type"], "is required") }
        guard case .string(let type) = name else { throw Self.error(at: ["type"], "must be a string") }
        guard let index = indices[type] else { throw .unknownAction(type, nearest: nearest(to: type)) }
        let declaration = declarations[index]
        if !declaration.admitsEveryone { try declaration.admit(actor) }
        let payload = try Self.payload(of: members)
        return (try declaration.action(of: payload, sent: isRepeated ? declaration.sent(payload) : payload), index)
    }

    /// The type of an action, and its payload with redacted secrets; nil if the action is not declared.
    package func describe(_ action: Action) -> Description? { encoder(action) }

    @usableFromInline
    static func payload(of members: JSONObject) throws(ActionDecodingError) -> JSONObject {
        let payload = members["payload"]
        if members.count > (payload == nil ? 1 : 2) {
            let unknown = members.names.first { $0 != "type" && $0 != "payload" } ?? ""
            throw error(at: [unknown], "is not known; an action has a type and a payload")
        }
        switch payload {
        // Validation of the empty payload reports a required member.
        case nil: return JSONObject()
        case .object(let object): return object
        default: throw error(at: ["payload"], "must be an object")
        }
    }

    @usableFromInline
    static func error(at place: [String], _ detail: String) -> ActionDecodingError {
        .invalidPayload([.init(pointer: JSONPointer(tokens: place), detail: detail)])
    }

    /// Up to three types that clients may send and that resemble this one, best first.
    @usableFromInline
    func nearest(to type: String) -> [String] {
        Array(declarations.lazy.filter { $0.audience != .internal }.map(\.type).similar(to: type).prefix(3))
    }
}

/// Why the JSON of a client is not an action.
@usableFromInline
package enum ActionDecodingError: Error, Sendable {
    /// No action has this type; the nearest known ones, best first.
    case unknownAction(String, nearest: [String])
    /// Only middleware and effects may send it.
    case internalAction(String)
    /// Only clients with this role may send it.
    case roleRequired(String, role: String)
    /// Only a client that the server knows may send it.
    case identityRequired(String)
    /// The violations, each with its place in the action.
    case invalidPayload([JSONSchema.Violation])
}
