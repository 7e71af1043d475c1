import Sessions
import Testing

/// Requests of one client are run one after the other.
@Suite struct ClientTurnsTests {
    private let one = ClientKey("AAAAAAAAAAAAAAAAAAAAAA", .holder)
    private let other = ClientKey("AAAAAAAAAAAAAAAAAAAAAQ", .holder)

    @Test func requestsOfAClientWaitInTheirOrder() {
        var turns = ClientTurns()
        #expect(turns.begin(one) == .begins)
        #expect(turns.begin(one) == .waits(ticket: 1))
        #expect(turns.begin(one) == .waits(ticket: 2))
        #expect(turns.begin(other) == .begins)
        #expect(turns.end(one) == 1)
        #expect(turns.begin(one) == .waits(ticket: 3))
        #expect(turns.end(one) == 2)
        #expect(turns.end(one) == 3)
        #expect(turns.end(one) == nil)
        #expect(turns.isBusy)
        #expect(turns.end(other) == nil)
        #expect(!turns.isBusy)
        #expect(turns.begin(one) == .begins)
    }

    @Test func atMostFourWait() {
        var turns = ClientTurns()
        _ = turns.begin(one)
        for _ in 0..<ClientTurns.maxWaiting { _ = turns.begin(one) }
        #expect(turns.begin(one) == .tooMany)
        #expect(turns.begin(other) == .begins)
        _ = turns.end(one)
        #expect(turns.begin(one) == .waits(ticket: 5))
    }

    @Test func aRequestThatLeavesIsNotCalled() {
        var turns = ClientTurns()
        _ = turns.begin(one)
        _ = turns.begin(one)
        _ = turns.begin(one)
        #expect(turns.leave(one, ticket: 1) == true)
        #expect(turns.leave(one, ticket: 1) == false)
        #expect(turns.end(one) == 2)
        #expect(turns.leave(one, ticket: 2) == false, "it was called, and must end")
        #expect(turns.end(one) == nil)
        #expect(!turns.isBusy)
    }
}
