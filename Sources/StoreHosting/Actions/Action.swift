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
public struct Action<State: Sendable, Values: Sendable>: Sendable {
    @usableFromInline let name: String
    @usableFromInline let handler: ActionHandler<State>
    @usableFromInline let fields: ActionFields<Values>
    @usableFromInline let summary: String
    @usableFromInline let audience: ActionAudience

    @inlinable
    init(
        _ name: String, _ summary: String, _ audience: ActionAudience, _ fields: ActionFields<Values>,
        _ rules: [Rule<State, Values>], _ change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.init(
            name, summary, audience, fields,
            decide: { state, values in
                for rule in rules where rule.applies(state, values) { return rule.decision }
                return .accept
            }, change)
    }

    @inlinable
    init(
        _ name: String, _ summary: String, _ audience: ActionAudience, _ fields: ActionFields<Values>,
        decide: @escaping @Sendable (State, Values) -> Decision,
        _ change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.name = name
        self.fields = fields
        self.summary = summary
        self.audience = audience
        let write = fields.write
        // The casts hold: only `action(_:)` makes actions with this handler.
        handler = ActionHandler(
            name: name,
            payload: { write(unsafeDowncast($0, to: ValueBox<Values>.self).value) },
            decide: { box, state in
                state.withMemoryRebound(to: InPlace<State>.self, capacity: 1) { state in
                    state.pointee.pass { decide($0, unsafeDowncast(box, to: ValueBox<Values>.self).value) }
                }
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
    func action(_ values: Values) -> StoreAction<State> {
        StoreAction(handler: handler, values: ValueBox.of(values))
    }
}

// One initializer for each number of fields: the compiler cannot infer an `inout` parameter in front of a parameter pack.
extension Action {
    /// An action without fields.
    @inlinable
    public init(
        _ name: String, _ summary: String, audience: ActionAudience = .client, rules: Rule<State, Void>...,
        change: @escaping @Sendable (inout State) -> Void
    ) where Values == Void {
        self.init(name, summary, audience, ActionFields(), rules) { state, _ in change(&state) }
    }

    /// An action with a field.
    @inlinable
    public init(
        _ name: String, _ summary: String, _ field: Field<Values>, audience: ActionAudience = .client,
        rules: Rule<State, Values>..., change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.init(name, summary, audience, ActionFields(field), rules, change)
    }

    /// An action with two fields.
    ///
    /// `members` is how many of the fields a payload has; nil if each field says whether it is required.
    @inlinable
    public init<A, B>(
        _ name: String, _ summary: String, _ a: Field<A>, _ b: Field<B>, members: ClosedRange<Int>? = nil,
        audience: ActionAudience = .client, rules: Rule<State, (A, B)>...,
        change: @escaping @Sendable (inout State, A, B) -> Void
    ) where Values == (A, B) {
        self.init(name, summary, audience, ActionFields(a, b).limited(to: members), rules) { change(&$0, $1.0, $1.1) }
    }

    /// An action with three fields.
    ///
    /// `members` is how many of the fields a payload has; nil if each field says whether it is required.
    @inlinable
    public init<A, B, C>(
        _ name: String, _ summary: String, _ a: Field<A>, _ b: Field<B>, _ c: Field<C>,
        members: ClosedRange<Int>? = nil, audience: ActionAudience = .client,
        rules: Rule<State, (A, B, C)>...,
        change: @escaping @Sendable (inout State, A, B, C) -> Void
    ) where Values == (A, B, C) {
        self.init(name, summary, audience, ActionFields(a, b, c).limited(to: members), rules) {
            change(&$0, $1.0, $1.1, $1.2)
        }
    }

    /// An action with four fields.
    ///
    /// `members` is how many of the fields a payload has; nil if each field says whether it is required.
    @inlinable
    public init<A, B, C, D>(
        _ name: String, _ summary: String, _ a: Field<A>, _ b: Field<B>, _ c: Field<C>, _ d: Field<D>,
        members: ClosedRange<Int>? = nil, audience: ActionAudience = .client,
        rules: Rule<State, (A, B, C, D)>...,
        change: @escaping @Sendable (inout State, A, B, C, D) -> Void
    ) where Values == (A, B, C, D) {
        self.init(name, summary, audience, ActionFields(a, b, c, d).limited(to: members), rules) {
            change(&$0, $1.0, $1.1, $1.2, $1.3)
        }
    }
}
