public import JSON

/// A state or an action that is read where it is. Reading a copyable value through a pointer copies it, and retains and releases all that
/// it refers to.
@usableFromInline
struct InPlace<Value>: ~Copyable {
    @usableFromInline let value: Value

    @inlinable
    borrowing func pass<Result>(to body: (Value) -> Result) -> Result { body(value) }
}

extension InPlace where Value: JSONEncodable {
    @inlinable
    borrowing func visit(_ name: StaticString, _ members: inout some MemberVisitor & ~Copyable) {
        members.member(name, value)
    }
}
