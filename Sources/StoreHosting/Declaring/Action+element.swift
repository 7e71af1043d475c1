extension Action: StoreElement {
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
}
