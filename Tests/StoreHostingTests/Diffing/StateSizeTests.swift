import StoreHosting
import Stores
import Testing

/// The bound on the size of a state, which is measured only near the limit.
@Suite struct StateSizeTests {
    /// Fails if the state is measured.
    private func notMeasured() -> Int {
        Issue.record("the state was measured")
        return 0
    }

    @Test func aStateFarFromTheLimitIsNotMeasured() {
        var size = StateSize(100)
        #expect(!size.isNear(1000))
        #expect(size.admits(growth: 300, limit: 1000, next: notMeasured, current: notMeasured) == true)
        size.grow(by: 300)
        size.endDispatch(hasCommitted: true)
        #expect(size.upperBound == 400 && !size.isNear(1000))
        #expect(size.admits(growth: 600, limit: 1000, next: notMeasured, current: notMeasured) == true)
    }

    @Test func aStateBeyondTheLimitIsRefused() {
        var size = StateSize(900)
        #expect(size.isNear(1000))
        #expect(size.admits(growth: 101, limit: 1000, next: { 1001 }, current: { 900 }) == false)
        size.endDispatch(hasCommitted: false)
        #expect(size.upperBound == 900)
        #expect(size.admits(growth: 100, limit: 1000, next: notMeasured, current: notMeasured) == true)
    }

    /// The bound is too large after entities were removed, whose sizes are not known.
    @Test func aBoundThatIsTooLargeIsCorrected() {
        var size = StateSize(900)
        size.grow(by: 90)
        #expect(size.admits(growth: 20, limit: 1000, next: { 300 }, current: notMeasured) == true)
        size.grow(by: 20)
        size.endDispatch(hasCommitted: true)
        #expect(size.upperBound == 300 && !size.isNear(1000))
    }

    /// A state that is too large, such as after the limit was lowered, may shrink and may stay as it is.
    @Test func aStateThatIsTooLargeMayShrink() {
        var size = StateSize(2000)
        #expect(size.admits(growth: 0, limit: 1000, next: { 1990 }, current: { 2000 }) == true)
        size.endDispatch(hasCommitted: true)
        #expect(size.upperBound == 1990)
        #expect(size.admits(growth: 5, limit: 1000, next: { 1990 }, current: { 1990 }) == true)
        #expect(size.admits(growth: 5, limit: 1000, next: { 1991 }, current: { 1990 }) == false)
    }

    @Test func onlyClientsHaveNoReserve() {
        #expect(StateSize.limit(1 << 20, for: .client) == 1 << 20)
        #expect(StateSize.limit(.max - 1, for: .effect) == .max)
        for origin in Origin.allCases where origin != .client {
            #expect(StateSize.limit(1 << 20, for: origin) == 9 << 17)
            #expect(StateSize.limit(1024, for: origin) == 1024 + 65_536)
        }
    }

    /// An admitted state that is not committed, as by a dry run, changes nothing.
    @Test func anAdmissionWithoutACommitIsForgotten() {
        var size = StateSize(900)
        #expect(size.admits(growth: 200, limit: 1000, next: { 500 }, current: notMeasured) == true)
        size.endDispatch(hasCommitted: false)
        #expect(size.upperBound == 900)
        size.endDispatch(hasCommitted: true)
        #expect(size.upperBound == 900)
    }

    @Test func theStateIsMeasuredWhenTheBoundHasMovedFar() {
        var size = StateSize(400)
        size.grow(by: 110)
        #expect(size.update(limit: 1000, measure: notMeasured) == true)
        size.grow(by: 20)
        #expect(size.update(limit: 1000, measure: { 450 }) == false)
        #expect(size.upperBound == 450)
    }
}
