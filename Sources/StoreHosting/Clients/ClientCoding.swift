package import JSON
package import Stores

/// The rules and the JSON of a kind, as a client needs them that has only the shown part of a state.
package struct ClientCoding<State: Sendable>: Sendable {
    /// The name of the kind.
    package let kind: String
    /// The state at revision 0.
    package let initialState: State
    private let findVersion: @Sendable () -> String
    private let members: MemberList<State>
    private let catalogue: ActionSchema<StoreAction<State>>
    private let actions: DefinedActions<State>

    init(_ kind: StoreKind, _ initialState: State, _ elements: StoreElements<State>) {
        self.kind = kind.name
        self.initialState = initialState
        findVersion = { kind.version }
        members = MemberList(elements)
        catalogue = elements.catalogue(prefix: kind.name)
        actions = elements.definedActions
    }

    /// See ``StoreKind/version``. It is computed anew by each call.
    package var version: String { findVersion() }

    // ---- States

    /// Sets members of a state to their values in the JSON that clients see. The private ones stay as they are.
    ///
    /// - Parameter changed: the places that have changed since `state` was brought up to date. The others are not read.
    /// - Throws: that a value does not fit its member. Then some others may be set.
    package func update(
        _ state: inout State, from json: JSONValue, changed: ChangedPlaces = .all
    ) throws(RestorationError) {
        _ = try members.restore(JSONValue.Persisted(shown: json, changed: changed), into: &state)
    }

    /// The state as clients see it.
    package func encode(_ state: State) -> [UInt8] {
        var json = JSONWriter()
        DefinedState(value: state, members: members).encode(into: &json)
        return json.finish()
    }

    // ---- Actions

    /// An action with its JSON.
    package struct Coded: Sendable {
        package let action: StoreAction<State>
        /// The body of a request. Secrets are in clear.
        package let json: JSONValue
        /// Whether it has a value that must not be written down.
        package let isSecret: Bool
        /// Whether all values are there that a server fills in.
        package let isFilled: Bool
    }

    /// An action of the program, with the values that can be known before the server fills them in.
    ///
    /// - Parameters:
    ///   - actor: the user, as far as the client knows.
    ///   - now: milliseconds since 1970.
    /// - Returns: nil if the definition does not contain it.
    package func coded(_ action: StoreAction<State>, by actor: Actor, at now: Int) -> Coded? {
        guard let type = catalogue.describe(action)?.type, let index = catalogue.index(of: type) else { return nil }
        let declaration = catalogue.declarations[index]
        let filled = try? action.filled(ActionContext(actor: actor, now: now))
        let payload = declaration.sent(action.handler.clearPayload((filled ?? action).values))
        return Coded(
            action: filled ?? action, json: ActionDeclaration<StoreAction<State>>.body(type, payload),
            isSecret: Self.isSecret(payload, declaration), isFilled: filled != nil)
    }

    /// An action that was sent before; nil if this definition has no such action.
    ///
    /// - Parameters:
    ///   - actor: the user, as far as the client knows.
    ///   - now: milliseconds since 1970.
    package func coded(_ json: JSONValue, by actor: Actor, at now: Int) -> Coded? {
        guard let (action, index) = try? catalogue.indexedAction(of: json, from: actor, isRepeated: false) else {
            return nil
        }
        let filled = try? action.filled(ActionContext(actor: actor, now: now))
        return Coded(
            action: filled ?? action, json: json,
            isSecret: Self.isSecret(json["payload"]?.asObject ?? [:], catalogue.declarations[index]),
            isFilled: filled != nil)
    }

    private static func isSecret(_ payload: JSONObject, _ declaration: ActionDeclaration<StoreAction<State>>) -> Bool {
        declaration.secrets.contains { payload[$0] != nil }
    }

    /// Reduces an action by the rules of the kind. All values must be there that a server fills in.
    package func apply(_ action: StoreAction<State>, to state: inout State) -> Decision {
        actions.apply(action, to: &state)
    }
}

extension StoreDefinition {
    /// The rules and the JSON of the kind, for a client.
    package var clientCoding: ClientCoding<State> { ClientCoding(kind, initialState, elements) }
}
