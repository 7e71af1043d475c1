public import JSON
package import RemoteServices
public import Stores

/// The definition of a store that a server can host: a name, the state, the actions, the reducer and the middleware.
public struct StoreKind: Sendable {
    /// The declaration of one action.
    @usableFromInline
    package struct ActionDescription: Sendable {
        /// The name: `slice/action`.
        package let type: String
        /// The effect of the action and when it is rejected, in a sentence.
        package let summary: String
        /// Whether clients may send it.
        package let audience: ActionAudience
        /// The reasons for which it is rejected, as far as the declaration names them; each once.
        package let reasons: [String]
        /// The schema of its payload.
        package let payload: JSONSchema
        /// An example of a request body.
        package let example: JSONValue
        /// The members of its payload that must never be shown or persisted in clear.
        package let secrets: [String]
        /// The members that the server fills.
        package let filled: [FilledMember]
    }

    /// The declaration of one named selector.
    @usableFromInline
    package struct SelectorDescription: Sendable {
        /// The name.
        package let name: String
        /// The selected value, in a sentence.
        package let summary: String
        /// Whether each reader has a value of its own.
        package let dependsOnActor: Bool
    }

    /// The name by which clients ask for it: `{"store":"planner"}`.
    package let name: String
    /// The purpose, in a sentence.
    package let summary: String
    /// All declared actions, including internal ones.
    package let actions: [ActionDescription]
    /// The named selectors.
    package let selectors: [SelectorDescription]

    /// The state at revision 0, as it is persisted.
    package let initialSnapshot: StateSnapshot
    /// Whether its states can be persisted and read back: whether they are ``Restorable``.
    package let isRestorable: Bool
    /// The version of its state: one more than it has migrations.
    package let schema: Int
    /// Whether its states decide who besides the owner may use a session.
    package let hasAccess: Bool
    /// The remote services that its stores call: see ``calling(_:make:)``.
    package internal(set) var services: [RemoteService] = []
    /// The names of the fetches that continue after a restart, as their calls are in the state.
    package internal(set) var repeatedFetches: [String] = []
    /// The names of the fetches that do not tell a state that a restart has ended their calls.
    package internal(set) var silentFetches: [String] = []
    var connect: (@Sendable (RemoteClients) -> StoreKind)?
    /// The errors in its definition, one sentence each. A server does not start with such a kind.
    public internal(set) var problems: [String]
    /// The schema of the state that clients see. A value whose type has no known schema may be anything.
    ///
    /// A type with an `encode(into:)` of its own declares its schema by `JSONSchemaProviding`.
    package let stateSchema: JSONSchema

    /// Turns a persisted state of one version into the next version: the state that clients see, and the private state
    /// beside it, which is an empty object if there is none.
    @usableFromInline
    package typealias Migration = @Sendable (inout JSONValue, inout JSONValue) throws(RestorationError) -> Void

    @usableFromInline typealias Factory =
        @Sendable (
            StoreEnvironment, (any SecretSealer)?, (any CommitRecorder)?, _ maxStateBytes: Int, _ label: String
        ) -> HostedStore
    @usableFromInline typealias Restorer =
        @Sendable (StateSnapshot, (any SecretSealer)?) throws(RestorationError) -> RestoredState

    /// The members of the state at revision 0; nil if the kind names no members.
    package let initialMembers: [ActorID]?

    /// Whether its sessions have members, which are indexed.
    package var hasMembers: Bool { initialMembers != nil }

    /// The reason why its stores would not take the JSON of a client as an action, whatever their state is; nil if they would.
    package let refusal: @Sendable (_ action: JSONValue, _ actor: Actor?) -> ActionDecodingError?

    private let make: Factory
    private let restore: Restorer
    private let selectOfPersisted: @Sendable (Selection, StateSnapshot) throws(RestorationError) -> [UInt8]
    private let encodeShown:
        @Sendable (Selection, StateSnapshot, (any SecretSealer)?) throws(RestorationError) -> [UInt8]

    /// - Parameter engine: makes a new store of a state, given the observer of its commits.
    @inlinable
    init<Engine: HostableStore>(
        _ name: String, _ summary: String, _ selectors: [Selector<Engine.State>],
        _ encoder: StateEncoder<Engine.State>, _ catalogue: ActionSchema<Engine.Action>,
        engine:
            @escaping @Sendable (
                Engine.State, StoreEnvironment, sending HostCommitObserver<Engine.State, Engine.Action>
            ) -> Engine
    ) where Engine.State: DiffableState {
        let names = FaultNames(store: name, types: catalogue.declarations.map { $0.type })
        let host = StoreCoding<Engine>(encoder, catalogue, names)
        let coding = KindCoding<Engine.State, Engine.Action>(encoder, catalogue, names)
        let vtable = HostedStoreVTable(host)
        let make:
            @Sendable (Engine.State, StoreEnvironment, (any SecretSealer)?, (any CommitRecorder)?, Int, String) ->
                Engine = {
                    state, environment, sealer, recorder, limit, label in
                    engine(
                        state, environment,
                        HostCommitObserver(coding, recorder, sealer, maxStateBytes: limit, label: label))
                }
        self.init(
            name, summary, selectors, encoder, catalogue, names, initialMembers: coding.initialMembers,
            make: { HostedStore(make(encoder.initialState, $0, $1, $2, $3, $4), vtable) },
            restore: { (persisted, sealer) throws(RestorationError) in
                let (state, schema) = try encoder.restored(persisted, sealer)
                let baseline = try RestoredBaseline(
                    of: state, byteCount: persisted.json.count, encoder, sealer,
                    schema.map { PendingMigration(persisted.json, schema: $0) })
                return RestoredState {
                    revision, environment, recorder, limit, label, json in
                    let engine = make(state, environment, sealer, recorder, limit, label)
                    host.restore(baseline, json, at: revision, in: engine)
                    return HostedStore(engine, vtable)
                }
            })
    }

    @usableFromInline
    init<State: DiffableState, Action: Sendable>(
        _ name: String, _ summary: String, _ selectors: [Selector<State>], _ encoder: StateEncoder<State>,
        _ catalogue: ActionSchema<Action>, _ names: FaultNames, initialMembers: [ActorID]?, make: @escaping Factory,
        restore: @escaping Restorer
    ) {
        self.name = name
        self.summary = summary
        self.make = make
        self.restore = restore
        refusal = { action, actor in
            do throws(ActionDecodingError) {
                _ = try catalogue.action(of: action, from: actor)
                return nil
            } catch {
                return error
            }
        }
        self.initialMembers = initialMembers
        self.selectors = selectors.map {
            SelectorDescription(name: $0.name, summary: $0.summary, dependsOnActor: $0.dependsOnActor)
        }
        initialSnapshot = encoder.initial
        isRestorable = encoder.restoration != nil
        schema = encoder.schema
        hasAccess = encoder.findRights != nil
        stateSchema = JSONSchema(ofState: encoder.initialState)
        selectOfPersisted = { (selection, persisted) throws(RestorationError) in
            try encoder.encode(selection, of: persisted, in: names)
        }
        encodeShown = { (selection, persisted, sealer) throws(RestorationError) in
            try encoder.encodeAsShown(selection, of: persisted, sealer, in: names)
        }
        problems =
            catalogue.problems + (encoder.problem.map { ["The initial state is not valid. \($0)"] } ?? [])
            + Self.problems(ofSelectors: selectors.map(\.name)) + Self.problems(ofMembers: initialMembers)
        actions = catalogue.declarations.map {
            ActionDescription(
                type: $0.type, summary: $0.summary, audience: $0.audience, reasons: $0.reasons, payload: $0.payload,
                example: $0.example, secrets: $0.secrets, filled: $0.filled)
        }
    }

    /// The errors in the names of the selectors. A name that begins with a slash would hide the JSON Pointer.
    private static func problems(ofSelectors names: [String]) -> [String] {
        names.duplicates.map { "Two selectors have the name \"\($0)\"." }
            + names.filter { !$0.isMemberName }.map {
                "The name of the selector \"\($0)\" must have only letters, digits, '-' and '_'."
            }
    }

    private static func problems(ofMembers initial: [ActorID]?) -> [String] {
        guard let initial, initial.count > MemberCount.limit else { return [] }
        return ["The initial state has more than \(MemberCount.limit) members."]
    }

    /// The state at revision 0, as JSON.
    package var initialState: [UInt8] { initialSnapshot.json }

    /// An action, or a batch of them, with `"***"` in the place of secrets, so that it may be shown and persisted.
    ///
    /// - Parameter body: a request body, valid or not.
    package func redacted(_ body: JSONValue) -> JSONValue {
        if case .array(let actions) = body { return .array(actions.map(redacted)) }
        guard case .object(var action) = body, case .object(var payload)? = action["payload"],
            let secrets = actions.first(where: { $0.type == action["type"]?.asString })?.secrets, !secrets.isEmpty
        else { return body }
        for name in secrets where payload[name] != nil { payload[name] = "***" }
        action["payload"] = .object(payload)
        return .object(action)
    }

    /// A new store of this kind.
    ///
    /// - Parameters:
    ///   - environment: time, a place for effects, and limits.
    ///   - sealer: seals the secrets of persisted states; nil leaves the secrets out.
    ///   - recorder: receives the commits; nil for none.
    ///   - maxStateBytes: the largest state, in bytes of its JSON. An action that would make it larger is rejected with
    ///     `Rejection.stateTooLarge`. Actions that no client sent may exceed it by an eighth, at least 64 KiB, so that
    ///     the result of an effect is not lost. A state below half of the limit is not measured for an action without
    ///     ``DispatchOptions/measuresState``.
    ///   - label: names the store in the line that a server logs if the store's code ends the process; 16 bytes at most.
    package func makeStore(
        environment: StoreEnvironment = .standard, sealer: (any SecretSealer)? = nil,
        recorder: (any CommitRecorder)? = nil, maxStateBytes: Int = .max, label: String = ""
    ) -> HostedStore {
        make(environment, sealer, recorder, maxStateBytes, label)
    }

    /// A store of this kind that begins with a persisted state.
    ///
    /// A state of an older version is migrated. Nothing runs in the store before ``HostedStore/resume()``.
    ///
    /// - Parameters:
    ///   - environment: time, a place for effects, and limits.
    ///   - sealer: opens sealed secrets; nil loses them.
    ///   - recorder: receives the commits; nil for none.
    ///   - maxStateBytes: the largest state, in bytes of its JSON. An action that would make it larger is rejected with
    ///     `Rejection.stateTooLarge`. Actions that no client sent may exceed it by an eighth, at least 64 KiB, so that
    ///     the result of an effect is not lost. A state below half of the limit is not measured for an action without
    ///     ``DispatchOptions/measuresState``.
    ///   - label: names the store in the line that a server logs if the store's code ends the process; 16 bytes at most.
    ///   - persisted: the state.
    ///   - revision: the revision of that state; 0 for a new store.
    package func makeStore(
        environment: StoreEnvironment = .standard, sealer: (any SecretSealer)? = nil,
        recorder: (any CommitRecorder)? = nil, maxStateBytes: Int = .max, label: String = "",
        from persisted: StateSnapshot, revision: Int
    ) throws(RestorationError) -> HostedStore {
        try restore(persisted, sealer).makeStore(
            environment: environment, recorder: recorder, revision: revision, maxStateBytes: maxStateBytes,
            label: label)
    }

    /// Decodes a persisted state for several stores that begin with it.
    package func restored(
        _ persisted: StateSnapshot, sealer: (any SecretSealer)?
    ) throws(RestorationError) -> RestoredState {
        try restore(persisted, sealer)
    }

    /// The selected value of a persisted state, as JSON; `null` if the selection finds nothing.
    ///
    /// Only a named selector restores the state; a pointer reads the JSON.
    package func select(_ selection: Selection, of persisted: StateSnapshot) throws(RestorationError) -> [UInt8] {
        try selectOfPersisted(selection, persisted)
    }

    /// The selected value of a persisted state, with the same bytes as when a store showed it, if the kind is
    /// ``isRestorable``.
    ///
    /// It takes longer than ``select(_:of:)``, because it restores the state.
    ///
    /// - Parameters:
    ///   - selection: the part of the state.
    ///   - persisted: the state.
    ///   - sealer: opens sealed secrets, on which a named selector may depend.
    package func encodeAsShown(
        _ selection: Selection, of persisted: StateSnapshot, sealer: (any SecretSealer)?
    ) throws(RestorationError) -> [UInt8] {
        try encodeShown(selection, persisted, sealer)
    }
}

/// A persisted state that was decoded once. The stores that are made from it share its memory until they change it.
@usableFromInline
package struct RestoredState: Sendable {
    @usableFromInline typealias Maker =
        @Sendable (
            _ revision: Int, StoreEnvironment, (any CommitRecorder)?, _ maxStateBytes: Int, _ label: String,
            _ json: [UInt8]?
        ) -> HostedStore

    private let make: Maker

    @usableFromInline
    init(_ make: @escaping Maker) { self.make = make }

    /// A store that begins with the state. Nothing runs in it before ``HostedStore/resume()``.
    ///
    /// - Parameter json: the state as another store made from this one has encoded it, to share that too.
    package func makeStore(
        environment: StoreEnvironment, recorder: (any CommitRecorder)?, revision: Int, maxStateBytes: Int = .max,
        label: String = "", json: [UInt8]? = nil
    ) -> HostedStore {
        make(revision, environment, recorder, maxStateBytes, label, json)
    }
}
