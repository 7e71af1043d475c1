public import JSON
public import Stores

/// A slice as one member.
@usableFromInline
struct PartMember<State: Sendable, Slice: Sendable>: StateMember {
    @usableFromInline let name: StaticString
    @usableFromInline let place: StateAccessor<State, Slice>
    @usableFromInline let members: MemberList<Slice>

    @inlinable
    init(_ name: StaticString, _ place: StateAccessor<State, Slice>, _ members: MemberList<Slice>) {
        self.name = name
        self.place = place
        self.members = members
    }

    @usableFromInline var names: [MemberName] { [MemberName(name)] }
    @usableFromInline var isPrivate: Bool { members.hasPrivateMembers }
    @usableFromInline var extent: Range<Int>? { place.extent }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ visitor: inout some MemberVisitor & ~Copyable) {
        place.read(at: state) { visitor.member(name, DefinedState(value: $0.pointee, members: members)) }
    }

    @inlinable
    func findChanges(_ state: UnsafePointer<State>, _ differ: inout StateDiffer) {
        place.read(at: state) { slice in differ.part(name) { members.findChanges(slice, &$0) } }
    }

    @inlinable
    func encode(_ state: UnsafePointer<State>, into json: inout JSONWriter) {
        place.read(at: state) { slice in json.member(name, object: { members.encode(slice, &$0) }) }
    }

    @inlinable
    func encodePrivate(_ state: UnsafePointer<State>, into encoder: inout JSONValue.PrivateEncoder) {
        place.read(at: state) { slice in encoder.part(name) { members.encodePrivate(slice, into: &$0) } }
    }

    @usableFromInline
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool {
        guard let object = try persisted.part(ifPresent: name.description) else { return false }
        do throws(RestorationError) {
            return try members.restore(object, at: place, in: &state)
        } catch {
            throw error.below(name.description)
        }
    }
}

/// A slice whose members stand beside those of the state.
@usableFromInline
struct SliceMembers<State: Sendable, Slice: Sendable>: StateMember {
    @usableFromInline let place: StateAccessor<State, Slice>
    @usableFromInline let members: MemberList<Slice>

    @inlinable
    init(_ place: StateAccessor<State, Slice>, _ members: MemberList<Slice>) {
        self.place = place
        self.members = members
    }

    @usableFromInline var names: [MemberName] { members.members.flatMap { $0.names } }
    @usableFromInline var isPrivate: Bool { members.hasPrivateMembers }
    @usableFromInline var extent: Range<Int>? { place.extent }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ visitor: inout some MemberVisitor & ~Copyable) {
        place.read(at: state) { members.visit($0, &visitor) }
    }

    @inlinable
    func findChanges(_ state: UnsafePointer<State>, _ differ: inout StateDiffer) {
        place.read(at: state) { members.findChanges($0, &differ) }
    }

    @inlinable
    func encode(_ state: UnsafePointer<State>, into json: inout JSONWriter) {
        place.read(at: state) { members.encode($0, &json) }
    }

    @inlinable
    func encodePrivate(_ state: UnsafePointer<State>, into encoder: inout JSONValue.PrivateEncoder) {
        place.read(at: state) { members.encodePrivate($0, into: &encoder) }
    }

    @usableFromInline
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool {
        try members.restore(persisted, at: place, in: &state)
    }
}

extension MemberList {
    /// Restores the slice of a state.
    fileprivate func restore<Whole>(
        _ persisted: JSONValue.Persisted, at place: StateAccessor<Whole, State>, in state: inout Whole
    ) throws(RestorationError) -> Bool {
        var slice = place.read(state) { $0 }
        let isComplete = try restore(persisted, into: &slice)
        place.change(&state) { $0 = slice }
        return isComplete
    }
}
