import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct BettingTests {
    private typealias Bench = TestStore<Betting, StoreAction<Betting>>

    private func selection(_ id: String, odds: Int = 250, stake: Int = 0) -> BetSelection {
        var selection = BetSelection(id: id, event: "Leeds v York", outcome: "Leeds", odds: odds)
        selection.stake = stake
        return selection
    }

    private func add(_ new: BetSelection) -> StoreAction<Betslip> {
        Betslip.addSelection(new.id, new.event, new.outcome, new.odds)
    }

    private func store(balance: Int = 0, _ selections: [BetSelection] = []) -> Bench {
        var state = Betting()
        state.user.balance = balance
        state.betslip.selections = selections
        return Bench(state, reducer: Betting.store.reducer)
    }

    @Test func aSelectionIsAddedStakedAndRemoved() throws {
        let store = store()
        try store.dispatch(Betting.betslip(add(selection("a")))) { $0.betslip.selections = [self.selection("a")] }
        try store.dispatch(Betting.betslip(add(selection("b")))) {
            $0.betslip.selections.append(self.selection("b"))
        }
        try store.dispatch(Betting.betslip(add(selection("a"))), .rejected("duplicate-selection", index: 0))
        try store.dispatch(Betting.betslip(Betslip.setStake("b", 70))) { $0.betslip.selections[1].stake = 70 }
        try store.dispatch(Betting.betslip(Betslip.setStake("c", 70)), .rejected("no-such-selection", index: 0))
        #expect(store.state.betslip.totalStake == 70)
        try store.dispatch(Betting.betslip(Betslip.removeSelection("a"))) { $0.betslip.selections.removeFirst() }
        try store.dispatch(Betting.betslip(Betslip.removeSelection("a")), .rejected("no-such-selection", index: 0))
    }

    /// A selection that is there already is a duplicate, also where the betslip is full.
    @Test func theBetslipHoldsTwenty() throws {
        let store = store(balance: 0, (1...19).map { selection("\($0)") })
        try store.dispatch(Betting.betslip(add(selection("20")))) {
            $0.betslip.selections.append(self.selection("20"))
        }
        try store.dispatch(Betting.betslip(add(selection("21"))), .rejected("betslip-full", index: 0))
        try store.dispatch(Betting.betslip(add(selection("20"))), .rejected("duplicate-selection", index: 0))
    }

    /// Both are é, composed and not: to JSON, and so to every client, they are two.
    @Test func idsThatOnlyLookAlikeAreTwo() throws {
        let store = store(balance: 0, [selection("caf\u{E9}")])
        try store.dispatch(
            Betting.betslip(Betslip.setStake("cafe\u{301}", 70)), .rejected("no-such-selection", index: 0))
        try store.dispatch(Betting.betslip(add(selection("cafe\u{301}")))) {
            $0.betslip.selections.append(self.selection("cafe\u{301}"))
        }
    }

    @Test(arguments: [
        (0, 5, Outcome.committed), (User.highestBalance - 5, 5, .committed),
        (User.highestBalance - 5, 6, .rejected("limit-exceeded", index: 0)),
        (User.highestBalance, 1_000_000_000_000, .rejected("limit-exceeded", index: 0)),
    ])
    func moneyIsPaidInUpToTheLimit(_ balance: Int, _ value: Int, _ outcome: Outcome) throws {
        let store = store(balance: balance)
        let payment = { (state: inout Betting) in state.user.balance += value }
        try store.dispatch(Betting.user(User.balanceIncrease(value)), outcome, outcome == .committed ? payment : nil)
    }

    /// The refusals in their order: each also has the faults of those that come after it.
    @Test(arguments: [
        (-1, [], "empty-betslip"), (0, [0], "missing-stake"), (10, [100, 0, 5], "missing-stake"),
        (99, [50, 50], "insufficient-balance"),
    ])
    func aBetIsRefused(_ balance: Int, _ stakes: [Int], _ reason: String) throws {
        let selections = stakes.enumerated().map { selection("\($0)", stake: $1) }
        let store = store(balance: balance, selections)
        try store.dispatch(Betting.placeBet(), .rejected(Rejection(reason), index: 0))
    }

    @Test func everySelectionBecomesABetInOneCommit() throws {
        let store = store(balance: 1000, [selection("a", odds: 333, stake: 10), selection("b", odds: 101, stake: 990)])
        try store.dispatch(Betting.placeBet()) { state in
            state = store.state
        }
        let state = store.state
        #expect(state.user.balance == 0)
        #expect(state.betslip.selections.isEmpty)
        #expect(state.betslip.placed.map(\.number) == [1, 2])
        #expect(state.betslip.placed.map(\.potentialReturn) == [33, 999])
        #expect(
            Betting.elements.json(state).hasSuffix(
                #""placed":[{"bet":1,"id":"a","event":"Leeds v York","outcome":"Leeds","odds":333,"stake":10,"#
                    + #""potentialReturn":33},{"bet":2,"id":"b","event":"Leeds v York","outcome":"Leeds","odds":101,"#
                    + #""stake":990,"potentialReturn":999}],"totalStake":0}}"#))
    }

    @Test func theLargestBetslipFits64Bits() throws {
        let most = BetSelection.stakeRange.upperBound
        let full = (1...20).map { selection("\($0)", odds: BetSelection.oddsRange.upperBound, stake: most) }
        let store = store(balance: User.highestBalance, full)
        #expect(store.state.betslip.totalStake == 20 * most)
        try store.dispatch(Betting.placeBet()) { $0 = store.state }
        #expect(store.state.betslip.placed.last?.potentialReturn == 1_000 * most)
    }

    /// Balance and all stakes placed are what was paid in, whatever happens.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func moneyIsNeverMadeOrLost(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var state = Betting()
        var paidIn = 0
        for _ in 1...400 {
            let action = action(&generator)
            let before = state
            let decision = Betting.store.reducer.apply(action, to: &state)
            if decision == .accept { paidIn += max(0, state.user.balance - before.user.balance) }
            if decision != .accept { #expect(state == before) }
            #expect(state.user.balance >= 0)
            #expect(state.user.balance + state.betslip.placed.reduce(0) { $0 + $1.selection.stake } == paidIn)
            #expect(state.betslip.placed.map(\.number) == Array(1..<(state.betslip.placed.count + 1)))
            #expect(Set(state.betslip.selections.map(\.id)).count == state.betslip.selections.count)
        }
    }

    private func action(_ generator: inout SeededGenerator) -> StoreAction<Betting> {
        let id = "\(Int.random(in: 1...25, using: &generator))"
        let amount = Int.random(in: 0...500, using: &generator)
        return switch Int.random(in: 0...9, using: &generator) {
        case 0...1: Betting.user(User.balanceIncrease(amount + 1))
        case 2...3: Betting.betslip(add(selection(id, odds: 101 + amount)))
        case 4...6: Betting.betslip(Betslip.setStake(id, amount))
        case 7: Betting.betslip(Betslip.removeSelection(id))
        case 8: Betting.counter(Counter.increment(1))
        default: Betting.placeBet()
        }
    }
}
