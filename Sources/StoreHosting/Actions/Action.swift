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
    /// The reasons that its declaration names.
    @usableFromInline let reasons: [Rejection]

    @inlinable
    init(
        _ name: String, _ summary: String, _ audience: ActionAudience, _ fields: ActionFields<Values>,
        _ rules: [Rule<State, Values>], _ change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.init(name, summary, audience, fields, rules, { $0 }, change)
    }

    /// - Parameter values: what rules and the change get.
    @inlinable
    init<Plain: Sendable>(
        _ name: String, _ summary: String, _ audience: ActionAudience, _ fields: ActionFields<Values>,
        _ rules: [Rule<State, Plain>], _ values: @escaping @Sendable (Values) -> Plain,
        _ change: @escaping @Sendable (inout State, Plain) -> Void
    ) {
        self.init(
            name, summary, audience, fields, reasons: rules.compactMap { $0.rejection },
            decide: { state, slots in
                guard !rules.isEmpty else { return .accept }
                let values = values(slots)
                for rule in rules where rule.applies(state, values) { return rule.decision }
                return .accept
            }, { change(&$0, values($1)) })
    }

    @inlinable
    init(
        _ name: String, _ summary: String, _ audience: ActionAudience, _ fields: ActionFields<Values>,
        reasons: [Rejection], decide: @escaping @Sendable (State, Values) -> Decision,
        _ change: @escaping @Sendable (inout State, Values) -> Void
    ) {
        self.name = name
        self.fields = fields
        self.summary = summary
        self.audience = audience
        self.reasons = reasons
        let (write, writeClear) = (fields.write, fields.writeClear)
        // The casts hold: only `action(_:)` makes actions with this handler.
        handler = ActionHandler(
            name: name,
            payload: { write(unsafeDowncast($0, to: ValueBox<Values>.self).value) },
            clearPayload: { writeClear(unsafeDowncast($0, to: ValueBox<Values>.self).value) },
            decide: { box, state in
                state.withMemoryRebound(to: InPlace<State>.self, capacity: 1) { state in
                    state.pointee.pass { decide($0, unsafeDowncast(box, to: ValueBox<Values>.self).value) }
                }
            },
            reduce: { box, state in change(&state, unsafeDowncast(box, to: ValueBox<Values>.self).value) },
            filling: fields.fill.map { BoxFilling(fields.filled, fill: Self.inBox($0)) })
    }

    /// Fills in the values that are in a box.
    @inlinable
    static func inBox(_ fill: @escaping ActionFields<Values>.Fill) -> BoxFilling.Fill {
        { box, context throws(Rejection) in
            ValueBox(try fill(unsafeDowncast(box, to: ValueBox<Values>.self).value, context))
        }
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

    /// An action with a field that the server fills.
    ///
    /// Not one initializer for both: the compiler could not tell the types of its rules.
    @inlinable
    public init<Value>(
        _ name: String, _ summary: String, _ field: FilledField<Value>,
        audience: ActionAudience = .client, rules: Rule<State, Value>...,
        change: @escaping @Sendable (inout State, Value) -> Void
    ) where Values == Filled<Value> {
        self.init(name, summary, audience, ActionFields(field.member), rules, { $0.value }, change)
    }

    /// An action with two fields.
    ///
    /// `members` is how many of the fields a payload has; nil if each field says whether it is required.
    @inlinable
    public init<A: ActionField, B: ActionField>(
        _ name: String, _ summary: String, _ a: A, _ b: B, members: ClosedRange<Int>? = nil,
        audience: ActionAudience = .client, rules: Rule<State, (A.Value, B.Value)>...,
        change: @escaping @Sendable (inout State, A.Value, B.Value) -> Void
    ) where Values == (A.Slot, B.Slot) {
        let fields = ActionFields(a.member, b.member).limited(to: members)
        self.init(
            name, summary, audience, fields, rules, { (A.value(of: $0.0), B.value(of: $0.1)) },
            { change(&$0, $1.0, $1.1) })
    }

    /// An action with three fields.
    ///
    /// `members` is how many of the fields a payload has; nil if each field says whether it is required.
    @inlinable
    public init<A: ActionField, B: ActionField, C: ActionField>(
        _ name: String, _ summary: String, _ a: A, _ b: B, _ c: C, members: ClosedRange<Int>? = nil,
        audience: ActionAudience = .client, rules: Rule<State, (A.Value, B.Value, C.Value)>...,
        change: @escaping @Sendable (inout State, A.Value, B.Value, C.Value) -> Void
    ) where Values == (A.Slot, B.Slot, C.Slot) {
        let fields = ActionFields(a.member, b.member, c.member).limited(to: members)
        self.init(
            name, summary, audience, fields, rules, { (A.value(of: $0.0), B.value(of: $0.1), C.value(of: $0.2)) },
            { change(&$0, $1.0, $1.1, $1.2) })
    }

    /// An action with four fields.
    ///
    /// `members` is how many of the fields a payload has; nil if each field says whether it is required.
    @inlinable
    public init<A: ActionField, B: ActionField, C: ActionField, D: ActionField>(
        _ name: String, _ summary: String, _ a: A, _ b: B, _ c: C, _ d: D, members: ClosedRange<Int>? = nil,
        audience: ActionAudience = .client, rules: Rule<State, (A.Value, B.Value, C.Value, D.Value)>...,
        change: @escaping @Sendable (inout State, A.Value, B.Value, C.Value, D.Value) -> Void
    ) where Values == (A.Slot, B.Slot, C.Slot, D.Slot) {
        let fields = ActionFields(a.member, b.member, c.member, d.member).limited(to: members)
        self.init(
            name, summary, audience, fields, rules,
            { (A.value(of: $0.0), B.value(of: $0.1), C.value(of: $0.2), D.value(of: $0.3)) },
            { change(&$0, $1.0, $1.1, $1.2, $1.3) })
    }
}
