extension Action: StoreElement {
    @inlinable
    public func add(to elements: inout StoreElements<State>) {
        let (read, handler) = (fields.read, handler)
        let declaration = ActionDeclaration<StoreAction<State>>(
            name, summary, audience: audience, reasons: reasons.declared, payload: fields.schema(),
            example: fields.example,
            secrets: fields.secrets, filled: fields.filled,
            read: { [self] payload throws(PayloadMismatch) in action(try read(payload)) },
            write: { action in action.handler === handler ? action.payload : nil })
        elements.add(.init(handler: handler, declaration: declaration), problems: fields.problems)
    }
}

extension [Rejection] {
    /// The reasons in order, each once. Faults of the program are none that a client could handle.
    @usableFromInline var declared: [String] {
        filter { !$0.isFault }.map(\.reason).reduce(into: []) { reasons, reason in
            if !reasons.contains(where: { $0.utf8.elementsEqual(reason.utf8) }) { reasons.append(reason) }
        }
    }
}
