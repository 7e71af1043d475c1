import Stores

/// The members of a definition, and which of them each action can change: an action of a ``Part`` changes this part only, so the others
/// need not be compared after it.
@usableFromInline
final class ReachedMembers<State: Sendable>: Sendable {
    @usableFromInline let steps: [EncodingStep<State, StateDiffer>]
    /// The members and tokens that a differ visits with each member, which are the same in all states.
    @usableFromInline let counts: [StateDiffer.VisitCount]
    /// The reach of each action, in the order of the definition.
    @usableFromInline let reaches: [MemberSet]
    @usableFromInline let actions: DefinedActions<State>
    /// The members that have something that stays on the server.
    @usableFromInline let privateMembers: MemberSet

    @usableFromInline
    init(_ list: MemberList<State>, _ actions: DefinedActions<State>, _ initial: State) {
        steps = list.members.map { $0.findChanges }
        self.actions = actions
        var counts: [StateDiffer.VisitCount] = []
        var baseline = EncodedBaseline()
        _ = withUnsafePointer(to: initial) { state in
            baseline.update { differ in
                for member in list.members {
                    let before = differ.visited
                    member.findChanges.alone(state, &differ)
                    counts.append(differ.visited - before)
                }
            }
        }
        self.counts = counts
        let extents = list.members.map(\.member.extent)
        reaches = actions.handlers.map { handler in
            guard let changed = handler.extent else { return .all }
            return MemberSet(extents.indices.filter { extents[$0]?.overlaps(changed) ?? true })
        }
        privateMembers = MemberSet(list.members.indices.filter { list.members[$0].isPrivate })
    }

    /// The members that an action can change.
    @inlinable
    func reach(of action: StoreAction<State>) -> MemberSet { actions.place(of: action).map { reaches[$0] } ?? .all }

    /// Passes the members of a set to a differ, which leaves the others as they are.
    @inlinable
    func findChanges(_ state: UnsafePointer<State>, _ reach: MemberSet, _ differ: inout StateDiffer) {
        for place in steps.indices {
            if differ.isFirst || reach.contains(place) {
                steps[place].alone(state, &differ)
            } else {
                differ.skip(counts[place])
            }
        }
    }
}
