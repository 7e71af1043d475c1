import Stores
import Testing

@Suite struct CompositionTests {
    /// One rejection rejects, the first in order; else one acceptance accepts; else the action is ignored, or only followed.
    /// An accepted action is reduced by each part that does not ignore it.
    @Test(arguments: [
        (Decision.ignore, Decision.ignore, Decision.ignore), (.ignore, .accept, .accept),
        (.accept, .ignore, .accept), (.accept, .accept, .accept), (.accept, .reject("b"), .reject("b")),
        (.reject("a"), .accept, .reject("a")), (.ignore, .reject("b"), .reject("b")),
        (.reject("a"), .reject("b"), .reject("a")), (.follow, .ignore, .follow), (.ignore, .follow, .follow),
        (.follow, .accept, .accept), (.accept, .follow, .accept), (.follow, .reject("b"), .reject("b")),
        (.follow, .follow, .follow),
    ])
    func decisionsAreJoined(_ first: Decision, _ second: Decision, _ together: Decision) {
        let (one, two) = (Fixed(says: first, adds: 1), Fixed(says: second, adds: 2))
        let composed: [any Reducer<Tally, TallyAction>] = [
            combine(one, two), Pair(one: one, two: two), Pair(one: one, two: two).prepared,
            Compose {
                one
                two
            },
        ]
        for reducer in composed {
            var state = Tally()
            #expect(reducer.apply(.skip, to: &state) == together)
            let reduced = [(first, 1), (second, 2)].filter { $0.0 != .ignore }.map(\.1)
            #expect(state.values == (together == .accept ? reduced : []))
        }
    }

    @Test func aSliceSeesOnlyItsPartAndItsActions() {
        struct Whole: Sendable, Equatable {
            var left = Tally()
            var right = Tally()
        }
        typealias Part = Scope<Whole, [TallyAction?]>
        func path(_ index: Int) -> CasePath<[TallyAction?], TallyAction> {
            CasePath(
                embed: { index == 0 ? [$0, nil] : [nil, $0] }, extract: { if let action = $0[index] { $1(action) } })
        }
        let reducer = combine(Part(\.left, path(0), TallyReducer()), Part(\.right, path(1), TallyReducer()))
        var state = Whole()
        #expect(reducer.apply([.add(1), nil], to: &state) == .accept)
        #expect(reducer.apply([nil, .add(2)], to: &state) == .accept)
        #expect(reducer.apply([.add(3), .refuse], to: &state) == .reject("refused"))
        #expect(reducer.apply([nil, nil], to: &state) == .ignore)
        #expect(state == Whole(left: Tally(values: [1]), right: Tally(values: [2])))
    }

    @Test func onActionRunsOnlyForAcceptedActions() {
        let watched = Compose {
            OnAction<Tally, TallyAction> { state, _ in state.values.append(state.values.count) }
            TallyReducer()
        }
        var state = Tally()
        #expect(watched.apply(.add(7), to: &state) == .accept)
        #expect(watched.apply(.refuse, to: &state) == .reject("refused"))
        #expect(watched.apply(.skip, to: &state) == .follow)
        #expect(state.values == [0, 7])
    }

    @Test func aStoreMakesTheListOnceHoweverDeepItIs() {
        struct Counted: ComposedReducer {
            let made: Recorder<Int>

            var body: some Reducer<Tally, TallyAction> {
                made.record(1)
                return TallyReducer()
            }
        }
        struct Outer: ComposedReducer {
            let inner: Counted

            var body: some Reducer<History<Tally>, UndoableAction<TallyAction>> {
                Scope(
                    \.self, .whole,
                    Undoable(Compose { Scope(\.self, .whole, Invariants([], of: inner)) }, limit: 1))
            }
        }
        let made = Recorder<Int>()
        let store = Store(History(Tally()), reducer: Outer(inner: Counted(made: made)))
        for number in 1...3 { store.dispatch(.present(.add(number))) }
        #expect(store.state.present.values == [1, 2, 3])
        #expect(made.values == [1])
    }

    @Test(arguments: [(true, 0, [1, 2]), (false, 0, [3]), (true, 3, [1, 2, 4, 4, 4]), (false, 2, [3, 4, 4])])
    func aListMayHaveConditionsAndLoops(_ isOn: Bool, _ turns: Int, _ expected: [Int]) {
        var state = Tally()
        #expect(Conditional(isOn: isOn, turns: turns).apply(.skip, to: &state) == .accept)
        #expect(state.values == expected)
    }
}

private struct Fixed: Reducer {
    let says: Decision
    let adds: Int

    func decide(_ action: TallyAction, in state: Tally) -> Decision { says }
    func reduce(_ state: inout Tally, _ action: TallyAction) { state.values.append(adds) }
}

private struct Pair: ComposedReducer {
    let one: Fixed
    let two: Fixed

    var body: some Reducer<Tally, TallyAction> {
        one
        two
    }
}

private struct Conditional: ComposedReducer {
    let isOn: Bool
    let turns: Int

    var body: some Reducer<Tally, TallyAction> {
        if isOn {
            Fixed(says: .accept, adds: 1)
            Fixed(says: .follow, adds: 2)
            Fixed(says: .ignore, adds: 5)
        } else {
            Fixed(says: .accept, adds: 3)
        }
        if turns > 0 {
            for _ in 0..<turns { Fixed(says: .accept, adds: 4) }
        }
    }
}

@Suite struct ConcernTests {
    /// Fails where it is asked or run for an action that it says is none of its business.
    private struct Picky: Reducer {
        let concern: TallyAction
        let asked: Recorder<String>

        func concerns(_ action: TallyAction) -> Bool { action == concern }

        func decide(_ action: TallyAction, in state: Tally) -> Decision {
            asked.record("decide \(action == concern)")
            return .accept
        }

        func reduce(_ state: inout Tally, _ action: TallyAction) {
            asked.record("reduce \(action == concern)")
            state.values.append(-1)
        }
    }

    @Test(arguments: [true, false])
    func aPartThatAnActionIsNoBusinessOfIsNeitherAskedNorRun(_ standsFirst: Bool) {
        let asked = Recorder<String>()
        let picky = Picky(concern: .skip, asked: asked)
        let store =
            standsFirst
            ? Store(
                Tally(),
                reducer: Compose {
                    picky
                    TallyReducer()
                })
            : Store(
                Tally(),
                reducer: Compose {
                    TallyReducer()
                    picky
                })
        #expect(store.dispatch(.add(1)).outcome == .committed)
        #expect(asked.values.isEmpty)
        #expect(store.dispatch(.skip).outcome == .committed)
        #expect(asked.values == ["decide true", "reduce true"])
        #expect(store.state.values == [1, -1])
    }
}
