import Cluster
import Testing

struct LinkSilenceTests {
    @Test func theNodeThatHasOpenedTheConnectionAsksAndGivesUpFirst() {
        var (caller, answerer) = (LinkSilence(opens: true), LinkSilence(opens: false))
        #expect((0..<3).map { _ in caller.intervalEnded(lastHeard: 7) } == [.ask, .ask, .giveUp])
        #expect((0..<4).map { _ in answerer.intervalEnded(lastHeard: 7) } == [.wait, .wait, .wait, .giveUp])
    }

    @Test func itAsksWhateverItHears() {
        var caller = LinkSilence(opens: true)
        #expect((0..<9).map { caller.intervalEnded(lastHeard: UInt64($0 / 2)) } == Array(repeating: .ask, count: 9))
    }

    /// Frames that came while it stood still may not be read yet.
    @Test func aProcessThatStoodStillDoesNotGiveUpBecauseOfThat() {
        var caller = LinkSilence(opens: true)
        #expect(caller.intervalEnded(lastHeard: 1) == .ask)
        // An hour later.
        #expect(caller.intervalEnded(lastHeard: 1) == .ask)
        #expect(caller.intervalEnded(lastHeard: 3_600_000_000_000) == .ask)
        #expect(caller.intervalEnded(lastHeard: 3_600_000_000_000) == .ask)
    }
}
