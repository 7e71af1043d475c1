import Stores
import StoresTesting
import Testing

@Suite struct UndoableTests {
    private typealias Action = UndoableAction<TallyAction>

    private static func reducer(limit: Int = 3) -> Undoable<TallyReducer> { Undoable(TallyReducer(), limit: limit) }

    private static func state(after actions: [Action], limit: Int = 3) -> History<Tally> {
        var state = History(Tally())
        for action in actions { _ = reducer(limit: limit).apply(action, to: &state) }
        return state
    }

    @Test func undoGoesBackAndRedoForth() {
        let changes: [Action] = [.present(.add(1)), .present(.add(2))]
        #expect(Self.state(after: changes + [.undo]).present.values == [1])
        #expect(Self.state(after: changes + [.undo, .undo]).present.values == [])
        #expect(Self.state(after: changes + [.undo, .undo, .redo]).present.values == [1])
        #expect(Self.state(after: changes + [.undo, .undo, .redo, .redo]).present.values == [1, 2])
    }

    @Test(arguments: [UndoableAction<TallyAction>.undo, .redo, .clearHistory, .present(.skip)])
    func whereThereIsNothingToDoItIsIgnored(_ action: UndoableAction<TallyAction>) {
        var state = History(Tally())
        #expect(Self.reducer().apply(action, to: &state) == .ignore)
        #expect(state == History(Tally()))
    }

    @Test func aRejectionMakesNoHistory() {
        var state = Self.state(after: [.present(.add(1)), .undo])
        let before = state
        #expect(Self.reducer().apply(.present(.refuse), to: &state) == .reject("refused"))
        #expect(state == before)
    }

    @Test func aFreshChangeEmptiesTheFuture() {
        let state = Self.state(after: [.present(.add(1)), .undo, .present(.add(2))])
        #expect(!state.canRedo)
        #expect(state.past == [Tally()])
    }

    @Test func clearingForgetsAllButThePresent() {
        let state = Self.state(after: [.present(.add(1)), .present(.add(2)), .undo, .clearHistory])
        #expect(state == History(Tally(values: [1])))
    }

    @Test(arguments: [-1, 0])
    func withoutALimitAboveZeroThereIsNoHistory(_ limit: Int) {
        #expect(Self.state(after: [.present(.add(1))], limit: limit) == History(Tally(values: [1])))
    }

    @Test func anUndoRevertsAFilteredChangeWithThePresent() {
        let reducer = Undoable(TallyReducer(), limit: 3) { $0 != .add(0) }
        var state = History(Tally())
        for number in [1, 0, 2] { _ = reducer.apply(.present(.add(number)), to: &state) }
        #expect(state.past.map(\.values) == [[], [1, 0]])
        _ = reducer.apply(.undo, to: &state)
        #expect(state.present.values == [1, 0])
    }

    @Test func whatAnotherPartAcceptsMakesNoHistoryHere() {
        let reducer = Compose {
            Self.reducer()
            OnAction<History<Tally>, Action> { _, _ in }
            Accepting()
        }
        var state = History(Tally())
        #expect(reducer.apply(.present(.skip), to: &state) == .accept)
        #expect(state == History(Tally()))
        #expect(reducer.apply(.present(.add(1)), to: &state) == .accept)
        #expect(state.past.count == 1)
    }

    /// Undo then redo is nothing, redo then undo too, and the history keeps to its limit.
    @Test(arguments: 0..<10)
    func undoAndRedoAreInverse(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...4, using: &random)
        let reducer = Self.reducer(limit: limit)
        var state = History(Tally())
        for number in 0..<100 {
            let action = [.undo, .redo, .present(.add(number))].randomElement(using: &random) ?? Action.undo
            _ = reducer.apply(action, to: &state)
            #expect(state.past.count + state.future.count <= limit)
            let ways = [(Action.undo, Action.redo, state.canUndo), (.redo, .undo, state.canRedo)]
            for (there, back, isPossible) in ways {
                var moved = state
                #expect(reducer.apply(there, to: &moved) == (isPossible ? .accept : .ignore))
                if isPossible { #expect(reducer.apply(back, to: &moved) == .accept) }
                #expect(moved == state)
            }
        }
    }
}

private struct Accepting: Reducer {
    func decide(_ action: UndoableAction<TallyAction>, in state: History<Tally>) -> Decision { .accept }

    func reduce(_ state: inout History<Tally>, _ action: UndoableAction<TallyAction>) {}
}
