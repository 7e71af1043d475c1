public import JSON
public import Stores

/// One action of a ``StoreDefinition``: its name, its fields, when it is rejected, and what it changes.
///
///     let book = Action<Hall, String>(
///         "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
///         rules: .reject("sold-out") { hall, _ in hall.guests.count == 3 }
///     ) { hall, guest in hall.guests.append(guest) }
///
/// Its type over HTTP is `KIND/NAME`: `seats/book`. Called as a function it makes the action for a dispatch: `book("Ada")`.
///
/// `Values` is the type of its field, a tuple of the types of several fields, or `Void`. Each field needs an example. `change`
/// changes the state in place. It must be pure: the same state and values give the same result.
public struct Action<State: Sendable, Values: Sendable>: StoreElement {
    @usableFromInline let name: String
    @usableFromInline let handler: ActionHandler<State>
    @usableFromInline let fields: ActionFields<Values>
    @usableFromInline let summary: String
    @usableFromInline let audience: ActionVisibility

    @inlinable
    init(
        _ name: String, _ summary: String, _ audience: ActionVisibility, _ fields: ActionFields<Values>,
        _ rules: [Rule<State, Values>], _ change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.name = name
        self.fields = fields
        self.summary = summary
        self.audience = audience
        let write = fields.write
        // The casts hold: only `action(_:)` makes actions with this handler.
        handler = ActionHandler(
            name: { _ in name },
            payload: { write(unsafeDowncast($0, to: ValueBox<Values>.self).value) },
            decide: { box, state in
                for rule in rules where rule.applies(state, unsafeDowncast(box, to: ValueBox<Values>.self).value) {
                    return rule.decision
                }
                return .accept
            },
            reduce: { box, state in change(&state, unsafeDowncast(box, to: ValueBox<Values>.self).value) })
    }

    /// The action with these values.
    @inlinable
    public func callAsFunction<each Value: Sendable>(_ values: repeat each Value) -> StoreAction<State>
    where Values == (repeat each Value) {
        action((repeat each values))
    }

    /// The values of an action, if it is this one.
    @inlinable
    public func values(in action: StoreAction<State>) -> Values? {
        action.handler === handler ? unsafeDowncast(action.values, to: ValueBox<Values>.self).value : nil
    }

    @inlinable
    public func add(to elements: inout StoreElements<State>) {
        let (read, id) = (fields.read, ObjectIdentifier(handler))
        let declaration = ActionDeclaration<StoreAction<State>>(
            name, summary, audience: audience, payload: fields.schema(), example: fields.example,
            secrets: fields.secrets,
            read: { [self] payload throws(PayloadMismatch) in action(try read(payload)) },
            write: { action in action.id == id ? action.payload : nil })
        elements.add(.init(id: id, declaration: declaration), problems: fields.problems)
    }

    @inlinable
    func action(_ values: Values) -> StoreAction<State> {
        StoreAction(id: ObjectIdentifier(handler), handler: handler, values: ValueBox(values))
    }
}

// One initializer for each number of fields: the compiler cannot infer an `inout` parameter in front of a parameter pack.
extension Action {
    /// An action without fields.
    @inlinable
    public init(
        _ name: String, _ summary: String, audience: ActionVisibility = .client, rules: Rule<State, Void>...,
        change: @escaping @Sendable (inout State) -> Void
    ) where Values == Void {
        self.init(name, summary, audience, ActionFields(), rules) { state, _ in change(&state) }
    }

    /// An action with a field.
    @inlinable
    public init(
        _ name: String, _ summary: String, _ field: Field<Values>, audience: ActionVisibility = .client,
        rules: Rule<State, Values>..., change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.init(name, summary, audience, ActionFields(field), rules, change)
    }

    /// An action with two fields.
    @inlinable
    public init<A, B>(
        _ name: String, _ summary: String, _ a: Field<A>, _ b: Field<B>, audience: ActionVisibility = .client,
        rules: Rule<State, (A, B)>..., change: @escaping @Sendable (inout State, A, B) -> Void
    ) where Values == (A, B) {
        self.init(name, summary, audience, ActionFields(a, b), rules) { change(&$0, $1.0, $1.1) }
    }

    /// An action with three fields.
    @inlinable
    public init<A, B, C>(
        _ name: String, _ summary: String, _ a: Field<A>, _ b: Field<B>, _ c: Field<C>,
        audience: ActionVisibility = .client, rules: Rule<State, (A, B, C)>...,
        change: @escaping @Sendable (inout State, A, B, C) -> Void
    ) where Values == (A, B, C) {
        self.init(name, summary, audience, ActionFields(a, b, c), rules) { change(&$0, $1.0, $1.1, $1.2) }
    }

    /// An action with four fields.
    @inlinable
    public init<A, B, C, D>(
        _ name: String, _ summary: String, _ a: Field<A>, _ b: Field<B>, _ c: Field<C>, _ d: Field<D>,
        audience: ActionVisibility = .client, rules: Rule<State, (A, B, C, D)>...,
        change: @escaping @Sendable (inout State, A, B, C, D) -> Void
    ) where Values == (A, B, C, D) {
        self.init(name, summary, audience, ActionFields(a, b, c, d), rules) { change(&$0, $1.0, $1.1, $1.2, $1.3) }
    }
}

/// When an ``Action`` is rejected or ignored. The rules of an action are tried in order, and the first that applies decides;
/// without one the action is accepted.
public struct Rule<State: Sendable, Values: Sendable>: Sendable {
    @usableFromInline let decision: Decision
    @usableFromInline let applies: @Sendable (State, Values) -> Bool

    @inlinable
    init(_ decision: Decision, _ applies: @escaping @Sendable (State, Values) -> Bool) {
        self.decision = decision
        self.applies = applies
    }

    /// Rejects the action if the condition holds.
    ///
    /// - Parameters:
    ///   - reason: a stable code, such as `sold-out`.
    ///   - condition: it only reads the state, and the values of the action.
    @inlinable
    public static func reject<each Value>(
        _ reason: Rejection, if condition: @escaping @Sendable (State, repeat each Value) -> Bool
    ) -> Rule where Values == (repeat each Value) {
        Rule(.reject(reason)) { state, values in condition(state, repeat each values) }
    }

    /// Ignores the action, which then makes no revision, if the condition holds.
    @inlinable
    public static func ignore<each Value>(
        if condition: @escaping @Sendable (State, repeat each Value) -> Bool
    ) -> Rule where Values == (repeat each Value) {
        Rule(.ignore) { state, values in condition(state, repeat each values) }
    }
}

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

/// What an ``Action`` does, whatever its values are; all actions that it makes share it.
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

/// Reduces each action of a definition by the action's own rules, in a store of the state alone.
struct ActionReducer<State: Sendable>: Reducer {
    let actions: DefinedActions

    func decide(_ action: StoreAction<State>, in state: State) -> Decision {
        actions.contain(action) ? action.decide(state) : actions.refuse(action)
    }

    func reduce(_ state: inout State, _ action: StoreAction<State>) { action.reduce(&state) }
}
