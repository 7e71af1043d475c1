import JSON
public import Stores

/// An action of a ``StoreDefinition`` with its values.
public struct StoreAction<State: Sendable>: Sendable {
    /// The handler of the ``Action``, also for an action of a ``Part``.
    @usableFromInline let id: ObjectIdentifier
    @usableFromInline let handler: ActionHandler<State>
    /// A ``ValueBox`` of the type that the handler expects.
    @usableFromInline let values: any AnyObject & Sendable

    @inlinable
    init(id: ObjectIdentifier, handler: ActionHandler<State>, values: any AnyObject & Sendable) {
        self.id = id
        self.handler = handler
        self.values = values
    }

    @usableFromInline var name: String { handler.name(values) }
    /// The payload with redacted secrets.
    @inlinable var payload: JSONObject { handler.payload(values) }

    @inlinable
    func decide(_ state: State) -> Decision { handler.decide(values, state) }

    @inlinable
    func reduce(_ state: inout State) { handler.reduce(values, &state) }
}

extension StoreAction: Equatable {
    /// Whether both are the same action with the same payload.
    public static func == (left: StoreAction, right: StoreAction) -> Bool {
        left.id == right.id && left.payload == right.payload
    }
}

extension StoreAction: CustomStringConvertible {
    /// The name and the payload, in which secrets are redacted.
    public var description: String {
        name + String(decoding: JSONValue.object(payload).encoded(), as: UTF8.self)
    }
}

/// The functions of an ``Action``, which all actions that it makes share.
///
/// Its functions are made where the types are known, so that the compiler specializes them.
@usableFromInline
final class ActionHandler<State: Sendable>: Sendable {
    let name: @Sendable (AnyObject) -> String
    @usableFromInline let payload: @Sendable (AnyObject) -> JSONObject
    @usableFromInline let decide: @Sendable (AnyObject, State) -> Decision
    @usableFromInline let reduce: @Sendable (AnyObject, inout State) -> Void

    @usableFromInline
    init(
        name: @escaping @Sendable (AnyObject) -> String, payload: @escaping @Sendable (AnyObject) -> JSONObject,
        decide: @escaping @Sendable (AnyObject, State) -> Decision,
        reduce: @escaping @Sendable (AnyObject, inout State) -> Void
    ) {
        self.name = name
        self.payload = payload
        self.decide = decide
        self.reduce = reduce
    }
}

/// The values of an action.
@usableFromInline
final class ValueBox<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
}
