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

    /// The action with the values that the server fills in.
    func filled(_ context: ActionContext) throws(Rejection) -> StoreAction {
        guard let filling = handler.filling else { return self }
        do throws(Rejection) {
            return StoreAction(handler: handler, values: try filling.fill(values, context))
        } catch {
            throw context.actor.kind == .system ? .sentWithoutUser(handler.name) : error
        }
    }
}

extension StoreAction: Equatable {
    /// Whether both are the same action with the same payload. A ``FilledField`` that one of them does not have yet is not compared.
    public static func == (left: StoreAction, right: StoreAction) -> Bool {
        guard left.handler === right.handler else { return false }
        var (one, other) = (left.payload, right.payload)
        for member in left.handler.filling?.members ?? [] where one[member.name] == nil || other[member.name] == nil {
            (one[member.name], other[member.name]) = (nil, nil)
        }
        return one == other
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
    /// The payload with its secrets in clear, for whoever sends it to a server.
    @usableFromInline let clearPayload: @Sendable (AnyObject) -> JSONObject
    @usableFromInline let decide: Decide
    @usableFromInline let reduce: @Sendable (AnyObject, inout State) -> Void
    /// Nil if the server fills none of its fields.
    @usableFromInline let filling: BoxFilling?
    /// The bytes of the state that it can change; nil for all.
    @usableFromInline let extent: Range<Int>?
    /// The part whose action it is, and the handler of the action there; nil for an action of the state itself.
    @usableFromInline let origin: (part: PartToken, handler: any AnyObject & Sendable)?

    @usableFromInline
    init(
        name: String, payload: @escaping @Sendable (AnyObject) -> JSONObject,
        clearPayload: @escaping @Sendable (AnyObject) -> JSONObject,
        decide: @escaping Decide,
        reduce: @escaping @Sendable (AnyObject, inout State) -> Void, filling: BoxFilling?, extent: Range<Int>? = nil,
        origin: (part: PartToken, handler: any AnyObject & Sendable)? = nil
    ) {
        self.name = name
        self.payload = payload
        self.clearPayload = clearPayload
        self.decide = decide
        self.reduce = reduce
        self.filling = filling
        self.extent = extent
        self.origin = origin
    }
}

/// The fields of an action that the server fills.
@usableFromInline
struct BoxFilling: Sendable {
    /// Fills in the values that the server knows, in a new box.
    @usableFromInline
    typealias Fill = @Sendable (AnyObject, ActionContext) throws(Rejection) -> any AnyObject & Sendable

    let members: [FilledMember]
    let fill: Fill

    @usableFromInline
    init(_ members: [FilledMember], fill: @escaping Fill) {
        self.members = members
        self.fill = fill
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
