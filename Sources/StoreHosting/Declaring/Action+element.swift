extension Action: StoreElement {
    @inlinable
    public func add(to elements: inout StoreElements<State>) {
        let (read, handler) = (fields.read, handler)
        let declaration = ActionDeclaration<StoreAction<State>>(
            name, summary, audience: audience, payload: fields.schema(), example: fields.example,
            secrets: fields.secrets, filled: fields.filled,
            read: { [self] payload throws(PayloadMismatch) in action(try read(payload)) },
            write: { action in action.handler === handler ? action.payload : nil })
        elements.add(.init(handler: handler, declaration: declaration), problems: fields.problems)
    }
}
