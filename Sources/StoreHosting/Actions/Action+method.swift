public import Stores

// A static function and not an initializer: with one more overload, the compiler would blame the overload for a mistake in a closure.
extension Action {
    /// An action without fields that calls a method of the state, which decides and changes in one step.
    ///
    ///     static let reset = Action<Form, Void>.method("reset", "Empties the form.") { $0.reset() }
    ///
    /// The method runs on a copy of the state first, so it must be pure, and the collections that it changes are copied.
    ///
    /// - Parameters:
    ///   - name: letters, digits and `-`.
    ///   - summary: its effect and when it is rejected, in a sentence.
    ///   - audience: the senders that it accepts.
    ///   - reasons: the reasons for which the method rejects. `GET /stores` and the printed types list them, and nothing else reads
    ///     them: a method can throw others.
    ///   - method: changes the state and returns true; returns false to ignore the action, or throws to reject it.
    public static func method(
        _ name: String, _ summary: String, audience: ActionAudience = .client,
        reasons: [Rejection] = [],
        _ method: @escaping @Sendable (inout State) throws(Rejection) -> Bool
    ) -> Action where Values == Void {
        calling(name, summary, audience, ActionFields(), reasons) { state, _ throws(Rejection) in try method(&state) }
    }

    /// An action with a field that calls a method of the state.
    public static func method<A: ActionField>(
        _ name: String, _ summary: String, _ field: A, audience: ActionAudience = .client,
        reasons: [Rejection] = [],
        _ method: @escaping @Sendable (inout State, A.Value) throws(Rejection) -> Bool
    ) -> Action where Values == A.Slot {
        calling(name, summary, audience, ActionFields(field.member), reasons) { state, value throws(Rejection) in
            try method(&state, A.value(of: value))
        }
    }

    /// An action with two fields that calls a method of the state.
    ///
    /// `members` is how many of the fields a payload has; nil if each field says whether it is required.
    public static func method<A: ActionField, B: ActionField>(
        _ name: String, _ summary: String, _ a: A, _ b: B, members: ClosedRange<Int>? = nil,
        audience: ActionAudience = .client,
        reasons: [Rejection] = [],
        _ method: @escaping @Sendable (inout State, A.Value, B.Value) throws(Rejection) -> Bool
    ) -> Action where Values == (A.Slot, B.Slot) {
        calling(name, summary, audience, ActionFields(a.member, b.member).limited(to: members), reasons) {
            state, values throws(Rejection) in
            try method(&state, A.value(of: values.0), B.value(of: values.1))
        }
    }

    /// An action with three fields that calls a method of the state.
    ///
    /// `members` is how many of the fields a payload has; nil if each field says whether it is required.
    public static func method<A: ActionField, B: ActionField, C: ActionField>(
        _ name: String, _ summary: String, _ a: A, _ b: B, _ c: C,
        members: ClosedRange<Int>? = nil,
        audience: ActionAudience = .client,
        reasons: [Rejection] = [],
        _ method: @escaping @Sendable (inout State, A.Value, B.Value, C.Value) throws(Rejection) -> Bool
    ) -> Action where Values == (A.Slot, B.Slot, C.Slot) {
        calling(name, summary, audience, ActionFields(a.member, b.member, c.member).limited(to: members), reasons) {
            state, values throws(Rejection) in
            try method(&state, A.value(of: values.0), B.value(of: values.1), C.value(of: values.2))
        }
    }

    /// An action with four fields that calls a method of the state.
    ///
    /// `members` is how many of the fields a payload has; nil if each field says whether it is required.
    public static func method<A: ActionField, B: ActionField, C: ActionField, D: ActionField>(
        _ name: String, _ summary: String, _ a: A, _ b: B, _ c: C, _ d: D,
        members: ClosedRange<Int>? = nil,
        audience: ActionAudience = .client,
        reasons: [Rejection] = [],
        _ method: @escaping @Sendable (inout State, A.Value, B.Value, C.Value, D.Value) throws(Rejection) -> Bool
    ) -> Action where Values == (A.Slot, B.Slot, C.Slot, D.Slot) {
        calling(
            name, summary, audience, ActionFields(a.member, b.member, c.member, d.member).limited(to: members), reasons
        ) {
            state, values throws(Rejection) in
            try method(
                &state, A.value(of: values.0), B.value(of: values.1), C.value(of: values.2), D.value(of: values.3))
        }
    }

    private static func calling(
        _ name: String, _ summary: String, _ audience: ActionAudience, _ fields: ActionFields<Values>,
        _ reasons: [Rejection], _ method: @escaping @Sendable (inout State, Values) throws(Rejection) -> Bool
    ) -> Action {
        @Sendable func apply(_ state: inout State, _ values: Values) -> Decision {
            do throws(Rejection) {
                return try method(&state, values) ? .accept : .ignore
            } catch {
                return .reject(error)
            }
        }
        return Action(
            name, summary, audience, fields, reasons: reasons,
            decide: { state, values in
                var trial = state
                return apply(&trial, values)
            }, { state, values in _ = apply(&state, values) })
    }
}
