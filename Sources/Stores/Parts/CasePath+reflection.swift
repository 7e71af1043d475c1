extension CasePath {
    /// The path to the case that `embed` makes, found by reflection, so that nothing has to be written for each case.
    ///
    ///     CasePath(AppAction.calendar)
    ///
    /// Each question whether a value is this case takes about a microsecond. Where an action must cost less, write the path by
    /// hand: see ``init(embed:extract:)``.
    ///
    /// - Parameter embed: a case of an enumeration with one payload. The enumeration must not have a mirror of its own.
    public init(_ embed: @escaping @Sendable (Value) -> Root) {
        self.init(embed: embed) { root, body in
            guard let (name, payload) = casePayload(of: root, as: Value.self),
                // Another case can have a payload of this type too.
                Mirror(reflecting: embed(payload)).children.first?.label == name
            else { return }
            body(payload)
        }
    }
}

/// The name and the payload of the case that `value` is, if the payload has this type.
private func casePayload<Payload>(of value: some Any, as type: Payload.Type) -> (name: String, payload: Payload)? {
    guard let child = Mirror(reflecting: value).children.first, let name = child.label else { return nil }
    if let payload = child.value as? Payload { return (name, payload) }
    // A payload with a label is a tuple of one element.
    let tuple = Mirror(reflecting: child.value)
    guard tuple.displayStyle == .tuple, tuple.children.count == 1 else { return nil }
    return (tuple.children.first?.value as? Payload).map { (name, $0) }
}
