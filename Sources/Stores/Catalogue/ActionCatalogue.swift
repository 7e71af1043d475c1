public import JSON

/// An action that a client can name: its type says in one place all that there is to know of each case.
public protocol CataloguedAction: Sendable {
    static var catalogue: ActionCatalogue<Self> { get }
}

/// The declared actions of a store, by their type names.
public struct ActionCatalogue<Action: Sendable>: Sendable {
    public let declarations: [ActionDeclaration<Action>]
    private let places: [String: Int]

    /// Of two declarations of one type the first stands.
    public init(_ declarations: [ActionDeclaration<Action>]) {
        self.declarations = declarations
        places = Dictionary(declarations.enumerated().map { ($1.type, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The same declarations for actions that embed these.
    public func embedded<Parent>(in path: CasePath<Parent, Action>) -> [ActionDeclaration<Parent>] {
        declarations.map { $0.embedded(in: path) }
    }

    /// The action that a client's JSON stands for.
    public func action(of json: JSONValue) throws(ActionRefusal) -> Action {
        guard case .object(let members) = json else { throw Self.refusal(at: [], "must be an object") }
        guard let name = members["type"] else { throw Self.refusal(at: ["type"], "is required") }
        guard case .string(let type) = name else { throw Self.refusal(at: ["type"], "must be a string") }
        guard let place = places[type] else { throw .unknownAction(type, nearest: nearest(to: type)) }
        let declaration = declarations[place]
        guard declaration.audience == .client else { throw .internalAction(type) }
        return try declaration.action(of: try Self.payload(of: members))
    }

    /// The type of an action and its payload with secrets masked; nil for one that was not declared.
    public func describe(_ action: Action) -> (type: String, payload: JSONObject)? {
        for declaration in declarations {
            if let payload = declaration.payload(of: action) { return (declaration.type, payload) }
        }
        return nil
    }

    private static func payload(of members: JSONObject) throws(ActionRefusal) -> JSONObject {
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

    private static func refusal(at place: [String], _ detail: String) -> ActionRefusal {
        .invalidPayload([.init(pointer: JSONPointer(tokens: place), detail: detail)])
    }

    /// Up to three types that a client may send, those that take the fewest changes of a letter first.
    private func nearest(to type: String) -> [String] {
        declarations.lazy.filter { $0.audience == .client }
            .map { (type: $0.type, distance: editDistance($0.type, type)) }
            .sorted { ($0.distance, $0.type) < ($1.distance, $1.type) }
            .prefix(3).map(\.type)
    }
}
