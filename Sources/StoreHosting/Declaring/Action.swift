import JSON
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
    let id = ActionID()
    let name: String
    let fields: ActionFields<Values>
    let rules: [Rule<State, Values>]
    let change: @Sendable (inout State, Values) -> Void
    private let summary: String
    private let audience: ActionVisibility

    init(
        _ name: String, _ summary: String, _ audience: ActionVisibility, _ fields: ActionFields<Values>,
        _ rules: [Rule<State, Values>], _ change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.audience = audience
        self.fields = fields
        self.rules = rules
        self.change = change
    }

    /// The action with these values.
    public func callAsFunction<each Value: Sendable>(_ values: repeat each Value) -> StoreAction<State>
    where Values == (repeat each Value) {
        action((repeat each values))
    }

    /// The values of an action, if it is this one.
    public func values(in action: StoreAction<State>) -> Values? {
        guard action.call.id == id else { return nil }
        return (action.call as? ValuesCall<State, Values>)?.values
    }

    public func add(to elements: inout StoreElements<State>) {
        let declaration = ActionDeclaration<StoreAction<State>>(
            name, summary, audience: audience, payload: fields.schema(), example: fields.example,
            secrets: fields.secrets,
            read: { [self] payload throws(PayloadMismatch) in action(try fields.read(payload)) },
            write: { [id] action in action.call.id == id ? action.call.payload : nil })
        elements.actions.append(.init(id: id, declaration: declaration))
        if audience == .client { elements.problems += fields.problems.map { "The action \"\(name)\": \($0)" } }
        if !name.isActionName {
            elements.problems.append("The name of the action \"\(name)\" must have only letters, digits and '-'.")
        }
    }

    func action(_ values: Values) -> StoreAction<State> {
        StoreAction(call: ValuesCall(action: self, values: values))
    }
}

// One initializer for each number of fields: the compiler cannot infer an `inout` parameter in front of a parameter pack.
extension Action {
    /// An action without fields.
    public init(
        _ name: String, _ summary: String, audience: ActionVisibility = .client, rules: Rule<State, Void>...,
        change: @escaping @Sendable (inout State) -> Void
    ) where Values == Void {
        self.init(name, summary, audience, ActionFields(), rules) { state, _ in change(&state) }
    }

    /// An action with a field.
    public init(
        _ name: String, _ summary: String, _ field: Field<Values>, audience: ActionVisibility = .client,
        rules: Rule<State, Values>..., change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.init(name, summary, audience, ActionFields(field), rules, change)
    }

    /// An action with two fields.
    public init<A, B>(
        _ name: String, _ summary: String, _ a: Field<A>, _ b: Field<B>, audience: ActionVisibility = .client,
        rules: Rule<State, (A, B)>..., change: @escaping @Sendable (inout State, A, B) -> Void
    ) where Values == (A, B) {
        self.init(name, summary, audience, ActionFields(a, b), rules) { change(&$0, $1.0, $1.1) }
    }

    /// An action with three fields.
    public init<A, B, C>(
        _ name: String, _ summary: String, _ a: Field<A>, _ b: Field<B>, _ c: Field<C>,
        audience: ActionVisibility = .client, rules: Rule<State, (A, B, C)>...,
        change: @escaping @Sendable (inout State, A, B, C) -> Void
    ) where Values == (A, B, C) {
        self.init(name, summary, audience, ActionFields(a, b, c), rules) { change(&$0, $1.0, $1.1, $1.2) }
    }

    /// An action with four fields.
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
    let decision: Decision
    let applies: @Sendable (State, Values) -> Bool

    /// Rejects the action if the condition holds.
    ///
    /// - Parameters:
    ///   - reason: a stable code, such as `sold-out`.
    ///   - condition: it only reads the state, and the values of the action.
    public static func reject<each Value>(
        _ reason: Rejection, if condition: @escaping @Sendable (State, repeat each Value) -> Bool
    ) -> Rule where Values == (repeat each Value) {
        Rule(decision: .reject(reason)) { state, values in condition(state, repeat each values) }
    }

    /// Ignores the action, which then makes no revision, if the condition holds.
    public static func ignore<each Value>(
        if condition: @escaping @Sendable (State, repeat each Value) -> Bool
    ) -> Rule where Values == (repeat each Value) {
        Rule(decision: .ignore) { state, values in condition(state, repeat each values) }
    }
}

/// An action of a ``StoreDefinition`` with its values.
public struct StoreAction<State: Sendable>: Sendable {
    let call: any ActionCall<State>
}

extension StoreAction: Equatable {
    /// Whether both are the same action with the same payload.
    public static func == (left: StoreAction, right: StoreAction) -> Bool {
        left.call.id == right.call.id && left.call.payload == right.call.payload
    }
}

extension StoreAction: CustomStringConvertible {
    /// The name and the payload, in which secrets are redacted.
    public var description: String {
        call.name + String(decoding: JSONValue.object(call.payload).encoded(), as: UTF8.self)
    }
}

/// Tells an action from others with the same name.
final class ActionID: Sendable, Hashable {
    static func == (left: ActionID, right: ActionID) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// An action with its values.
protocol ActionCall<State>: Sendable {
    associatedtype State: Sendable

    var id: ActionID { get }
    var name: String { get }
    /// The payload with redacted secrets.
    var payload: JSONObject { get }

    func decide(_ state: State) -> Decision

    func reduce(_ state: inout State)
}

private struct ValuesCall<State: Sendable, Values: Sendable>: ActionCall {
    let action: Action<State, Values>
    let values: Values

    var id: ActionID { action.id }
    var name: String { action.name }
    var payload: JSONObject { action.fields.write(values) }

    func decide(_ state: State) -> Decision {
        for rule in action.rules where rule.applies(state, values) { return rule.decision }
        return .accept
    }

    func reduce(_ state: inout State) { action.change(&state, values) }
}

/// Reduces each action by the action's own rules.
struct ActionReducer<State: Sendable>: Reducer {
    func decide(_ action: StoreAction<State>, in state: State) -> Decision { action.call.decide(state) }

    func reduce(_ state: inout State, _ action: StoreAction<State>) { action.call.reduce(&state) }
}
