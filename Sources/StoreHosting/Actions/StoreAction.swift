import JSON
public import Stores

/// An action of a ``StoreDefinition`` with its values.
public struct StoreAction<State: Sendable>: Sendable {
    /// The handler of the ``Action``, or the one that a ``Part`` has made of it.
    @usableFromInline let handler: ActionHandler<State>
    /// A ``ValueBox`` of the type that the handler expects.
    @usableFromInline let values: any AnyObject & Sendable

    @inlinable
    init(handler: ActionHandler<State>, values: any AnyObject & Sendable) {
        self.handler = handler
        self.values = values
    }

    /// The payload with redacted secrets.
    @inlinable var payload: JSONObject { handler.payload(values) }
}

extension StoreAction: Equatable {
    /// Whether both are the same action with the same payload.
    public static func == (left: StoreAction, right: StoreAction) -> Bool {
        left.handler === right.handler && left.payload == right.payload
    }
}

extension StoreAction: CustomStringConvertible {
    /// The name and the payload, in which secrets are redacted.
    public var description: String {
        handler.name + String(decoding: JSONValue.object(payload).encoded(), as: UTF8.self)
    }
}

/// The functions of an ``Action``, which all actions that it makes share.
///
/// Its functions are made where the types are known, so that the compiler specializes them.
@usableFromInline
final class ActionHandler<State: Sendable>: Sendable {
    /// Decides on the values of an action by the state, which is read where it is.
    @usableFromInline typealias Decide = @Sendable (AnyObject, UnsafePointer<State>) -> Decision

    @usableFromInline let name: String
    @usableFromInline let payload: @Sendable (AnyObject) -> JSONObject
    @usableFromInline let decide: Decide
    @usableFromInline let reduce: @Sendable (AnyObject, inout State) -> Void
    /// The bytes of the state that it can change; nil for all.
    @usableFromInline let extent: Range<Int>?
    /// The part whose action it is, and the handler of the action there; nil for an action of the state itself.
    @usableFromInline let origin: (part: PartToken, handler: any AnyObject & Sendable)?

    @usableFromInline
    init(
        name: String, payload: @escaping @Sendable (AnyObject) -> JSONObject,
        decide: @escaping Decide,
        reduce: @escaping @Sendable (AnyObject, inout State) -> Void, extent: Range<Int>? = nil,
        origin: (part: PartToken, handler: any AnyObject & Sendable)? = nil
    ) {
        self.name = name
        self.payload = payload
        self.decide = decide
        self.reduce = reduce
        self.extent = extent
        self.origin = origin
    }
}

/// The identity of a ``Part``.
@usableFromInline
final class PartToken: Sendable {
    @usableFromInline
    init() {}
}

/// The values of an action.
@usableFromInline
final class ValueBox<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) { self.value = value }

    /// The box of a value. All actions without fields share one.
    @inlinable
    static func of(_ value: Value) -> any AnyObject & Sendable {
        Value.self == Void.self ? noValues : ValueBox(value)
    }
}

@usableFromInline let noValues = ValueBox(())
