package import JSON
package import StoreHosting
package import Stores

/// How a store reads states of one type, and predicts actions on them.
package struct RemoteModel<State: Sendable>: Sendable {
    /// An action as the store replays it.
    package struct Action: Sendable {
        /// The body of a request.
        package var json: JSONValue
        /// The action of the program; nil if the kind is not known, or has no such action.
        package var typed: StoreAction<State>?
        package var isSecret: Bool
        /// Changes a state as the action does; nil if only the server can tell.
        package var apply: (@Sendable (inout State) -> Decision)?

        package init(
            json: JSONValue, typed: StoreAction<State>? = nil, isSecret: Bool = false,
            apply: (@Sendable (inout State) -> Decision)? = nil
        ) {
            self.json = json
            self.typed = typed
            self.isSecret = isSecret
            self.apply = apply
        }
    }

    /// The name of the kind; nil if it is not known.
    package var kind: String?
    /// The state before the first one has come.
    package var initialState: State
    /// The version of the kind that the app was compiled with; nil if it has none.
    package var version: (@Sendable () -> String)?
    /// Brings a state up to date with its JSON, of which these places have changed.
    package var update: @Sendable (inout State, JSONValue, ChangedPlaces) throws -> Void
    /// The action with this body.
    package var action: @Sendable (JSONValue, Actor, Int) -> Action
    /// An action of the program; nil if the definition of the kind does not contain it.
    package var encode: @Sendable (StoreAction<State>, Actor, Int) -> Action?

    package init(
        kind: String? = nil, initialState: State, version: (@Sendable () -> String)? = nil,
        update: @escaping @Sendable (inout State, JSONValue, ChangedPlaces) throws -> Void,
        action: @escaping @Sendable (JSONValue, Actor, Int) -> Action,
        encode: @escaping @Sendable (StoreAction<State>, Actor, Int) -> Action? = { _, _, _ in nil }
    ) {
        self.kind = kind
        self.initialState = initialState
        self.version = version
        self.update = update
        self.action = action
        self.encode = encode
    }

    /// By the rules of a kind.
    package init(_ definition: StoreDefinition<State>) {
        let coding = definition.clientCoding
        self.init(
            kind: definition.kind.name, initialState: coding.initialState, version: { coding.version },
            update: { try coding.update(&$0, from: $1, changed: $2) },
            action: { json, actor, now in
                coding.coded(json, by: actor, at: now).map { Action($0, coding) } ?? Action(json: json)
            },
            encode: { action, actor, now in coding.coded(action, by: actor, at: now).map { Action($0, coding) } })
    }
}

extension RemoteModel<JSONValue> {
    /// Without a kind: the state is what the server sends.
    package static var plain: RemoteModel {
        RemoteModel(
            initialState: .null, update: { state, json, _ in state = json }, action: { json, _, _ in .init(json: json) }
        )
    }
}

extension RemoteModel.Action {
    fileprivate init(_ coded: ClientCoding<State>.Coded, _ coding: ClientCoding<State>) {
        self.init(json: coded.json, typed: coded.action, isSecret: coded.isSecret)
        if coded.isFilled, !coded.isSecret { apply = { coding.apply(coded.action, to: &$0) } }
    }
}
