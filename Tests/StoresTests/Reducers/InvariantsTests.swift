import Stores
import StoresTesting
import Testing

@Suite struct InvariantsTests {
    private static let reducer = Invariants(
        [
            Invariant<Tally>("too-long") { $0.values.count <= 3 },
            Invariant("negative") { $0.values.allSatisfy { $0 >= 0 } },
        ], of: TallyReducer())

    @Test(arguments: [
        ([1], TallyAction.add(2), Decision.accept), ([1], .add(-1), .reject(Rejection("negative", isFault: true))),
        ([1, 2, 3], .add(4), .reject(Rejection("too-long", isFault: true))), ([1], .skip, .ignore),
        ([1, 2, 3], .add(-1), .reject(Rejection("too-long", isFault: true))), ([1], .refuse, .reject("refused")),
    ])
    func aBrokenOneIsAFaultAndLeavesNoTrace(_ values: [Int], _ action: TallyAction, _ expected: Decision) {
        var state = Tally(values: values)
        #expect(Self.reducer.decide(action, in: state) == expected)
        #expect(Self.reducer.apply(action, to: &state) == expected)
        if expected != .accept { #expect(state.values == values) }
    }

    /// Also as a part among others, which may refuse before it or after it.
    @Test(arguments: 0..<10)
    func areNeverBroken(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var state = Guarded()
        for _ in 0..<200 {
            let before = state
            let number = Int.random(in: -2...5, using: &random)
            let decision = GuardedReducer().apply(.add(number), to: &state)
            #expect(state.tally.values.count <= 3 && state.tally.values.allSatisfy { $0 >= 0 })
            if decision != .accept { #expect(state == before) }
            if Int.random(in: 0..<5, using: &random) == 0 { state.tally.values = [] }
        }
        #expect(state.count > 0)
    }

    private struct Guarded: Sendable, Equatable {
        var count = 0
        var tally = Tally()
    }

    private struct GuardedReducer: ComposedReducer {
        var body: some Reducer<Guarded, TallyAction> {
            OnAction { state, _ in state.count += 1 }
            Scope(\.tally, .whole, InvariantsTests.reducer)
            Scope(\.count, .whole, NotFive())
        }
    }

    private struct NotFive: Reducer {
        func decide(_ action: TallyAction, in state: Int) -> Decision { action == .add(5) ? .reject("five") : .ignore }
        func reduce(_ state: inout Int, _ action: TallyAction) {}
    }
}
