public import JSON
public import Stores

/// A part of a state that is an object: it names its members once, to be written and to be looked at for changes.
///
/// What changes in a state whose parts are such objects is found member by member, and the change of one field is a patch
/// of one operation.
public protocol ObjectState: JSONEncodable {
    /// Visits the members: always the same ones, in the same order.
    func visit(_ members: inout some MemberVisitor & ~Copyable)
}

extension ObjectState {
    /// Writes an object of the members.
    @inlinable
    public func encode(into json: inout JSONWriter) {
        json.object { visit(&$0) }
    }
}

/// Takes the members of an object, one after the other.
public protocol MemberVisitor: ~Copyable {
    /// A member that is looked at as a whole.
    ///
    /// - Parameters:
    ///   - name: a constant without quotes, backslashes, slashes, tildes and control characters.
    ///   - value: of arrays and objects what changes in them is found by comparison.
    mutating func member(_ name: StaticString, _ value: some JSONEncodable)

    /// A member that is not looked at as long as its stamp is the same: see `Tracked`.
    mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: ChangeToken)

    /// A member that has members itself.
    mutating func member(_ name: StaticString, _ part: some ObjectState)

    /// The members `entities` and `ids` of a table, whose changes are taken from its log.
    mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible
}

extension JSONWriter: MemberVisitor {
    @inlinable
    public mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: ChangeToken) {
        member(name, value)
    }

    @inlinable
    public mutating func member(_ name: StaticString, _ part: some ObjectState) {
        member(name, object: { part.visit(&$0) })
    }

    @inlinable
    public mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
        table.encodeMembers(into: &self)
    }
}
