public import JSON
public import Stores

/// A part of a state that is a JSON object. It declares its members once, for encoding and for diffing.
///
/// Changes are found member by member, so the change of one field makes a patch of one operation.
@usableFromInline
package protocol ObjectState: JSONEncodable {
    /// Visits the members: always the same ones, in the same order.
    func visitMembers(_ members: inout some MemberVisitor & ~Copyable)
}

extension ObjectState {
    /// Encodes an object with the members.
    @inlinable
    package func encode(into json: inout JSONWriter) {
        json.object { visitMembers(&$0) }
    }
}

/// Receives the members of an object, one after the other.
@usableFromInline
package protocol MemberVisitor: ~Copyable {
    /// Visits a member that is compared as a whole.
    ///
    /// - Parameters:
    ///   - name: a constant without quotes, backslashes, slashes, tildes or control characters.
    ///   - value: the value. Changes inside arrays and objects are found by comparison.
    mutating func member(_ name: StaticString, _ value: some JSONEncodable)

    /// Visits a member that is compared only if its token has changed; see `Tracked`.
    mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: ChangeToken)

    /// Visits a member that has members itself.
    mutating func member(_ name: StaticString, _ part: some ObjectState)

    /// Visits the members `entities` and `ids` of a table. Their changes are taken from the table's log.
    mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible
}

extension JSONWriter: MemberVisitor {
    @inlinable
    package mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: ChangeToken) {
        member(name, value)
    }

    @inlinable
    package mutating func member(_ name: StaticString, _ part: some ObjectState) {
        member(name, object: { part.visitMembers(&$0) })
    }

    @inlinable
    package mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
        table.encodeMembers(into: &self)
    }
}
