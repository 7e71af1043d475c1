import Stores
import Testing

@Suite struct CompositionTests {
    private struct Fixed: Reducer {
        let says: Decision
        let adds: Int

        func decide(_ action: TallyAction, in state: Tally) -> Decision { says }
        func reduce(_ state: inout Tally, _ action: TallyAction) { state.values.append(adds) }
    }

    /// One rejection rejects, the first in order; else one acceptance accepts; else the action is ignored.
    @Test(arguments: [
        (Decision.ignore, Decision.ignore, Decision.ignore), (.ignore, .accept, .accept),
        (.accept, .ignore, .accept), (.accept, .accept, .accept), (.accept, .reject("b"), .reject("b")),
        (.reject("a"), .accept, .reject("a")), (.ignore, .reject("b"), .reject("b")),
        (.reject("a"), .reject("b"), .reject("a")),
    ])
    func decisionsAreHeardTogether(_ first: Decision, _ second: Decision, _ together: Decision) {
        let (one, two) = (Fixed(says: first, adds: 1), Fixed(says: second, adds: 2))
        let composed: [any Reducer<Tally, TallyAction>] = [
            Combined(one, two), combine(one, two),
            Compose {
                one
                two
            },
        ]
        for reducer in composed {
            var state = Tally()
            #expect(reducer.apply(.skip, to: &state) == together)
            #expect(state.values == (together == .accept ? [1, 2] : []))
        }
    }

    @Test func aSliceSeesOnlyItsPartAndItsActions() {
        struct Whole: Sendable, Equatable {
            var left = Tally()
            var right = Tally()
        }
        typealias Part = Slice<Whole, [TallyAction?], TallyReducer>
        func path(_ index: Int) -> CasePath<[TallyAction?], TallyAction> {
            CasePath(embed: { index == 0 ? [$0, nil] : [nil, $0] }, extract: { $0[index] })
        }
        let reducer = combine(Part(\.left, path(0), TallyReducer()), Part(\.right, path(1), TallyReducer()))
        var state = Whole()
        #expect(reducer.apply([.add(1), nil], to: &state) == .accept)
        #expect(reducer.apply([nil, .add(2)], to: &state) == .accept)
        #expect(reducer.apply([.add(3), .refuse], to: &state) == .reject("refused"))
        #expect(reducer.apply([nil, nil], to: &state) == .ignore)
        #expect(state == Whole(left: Tally(values: [1]), right: Tally(values: [2])))
    }
}
