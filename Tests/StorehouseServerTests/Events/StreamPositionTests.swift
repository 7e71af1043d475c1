import Platform
import Sockets
import StorehouseServer
import StoresTesting
import Testing

/// Which events one stream sends, and which it skips for a slow client.
@Suite struct StreamPositionTests {
    private func position(at revision: Int = 0) -> StreamPosition {
        var position = StreamPosition()
        position.start(at: revision)
        return position
    }

    @Test func anEventThatTheClientHasIsNotSentAgain() {
        var position = position(at: 5)
        #expect(position.accepts(revision: 5, byteCount: 1, pendingBytes: 0, limit: 10) == false)
        #expect(position.accepts(revision: 6, byteCount: 1, pendingBytes: 0, limit: 10) == true)
        #expect(position.accepts(revision: 6, byteCount: 1, pendingBytes: 0, limit: 10) == false)
        #expect(position.skippedCount == 0)
        #expect(position.lastSentRevision == 6)
    }

    @Test func theLimitCountsTheBytesThatWait() {
        var position = position()
        #expect(position.accepts(revision: 1, byteCount: 100, pendingBytes: 0, limit: 10) == true)
        #expect(position.accepts(revision: 2, byteCount: 4, pendingBytes: 6, limit: 10) == true)
        #expect(position.accepts(revision: 3, byteCount: 5, pendingBytes: 6, limit: 10) == false)
        #expect(position.skippedCount == 1)
    }

    /// Even if there is room again: an event between skipped ones would hide the gap.
    @Test func afterASkippedEventOnlyTheNewestValueIsSent() {
        var position = position()
        _ = position.accepts(revision: 1, byteCount: 9, pendingBytes: 9, limit: 10)
        #expect(position.accepts(revision: 2, byteCount: 1, pendingBytes: 0, limit: 10) == false)
        #expect(position.acceptsPassing(byteCount: 1, pendingBytes: 0, limit: 10) == false)
        #expect(position.flushed() == true)
        // The value is fetched once.
        #expect(position.flushed() == false)
        #expect(position.accepts(revision: 3, byteCount: 1, pendingBytes: 0, limit: 10) == false)
        #expect(position.caughtUp(revision: 3, lastChangedRevision: 3) == 2)
        #expect(position.lastSentRevision == 3)
        #expect(position.accepts(revision: 4, byteCount: 1, pendingBytes: 0, limit: 10) == true)
    }

    @Test func `news that must not be missed come with the newest value if there is no room`() {
        var position = position(at: 4)
        #expect(position.acceptsReady(byteCount: 1, pendingBytes: 9, limit: 10) == true)
        #expect(position.flushed() == false)
        #expect(position.acceptsReady(byteCount: 2, pendingBytes: 9, limit: 10) == false)
        #expect(position.accepts(revision: 5, byteCount: 1, pendingBytes: 0, limit: 10) == false)
        #expect(position.flushed() == true)
        #expect(position.caughtUp(revision: 5, lastChangedRevision: 5) == 1)
        #expect(position.acceptsReady(byteCount: 2, pendingBytes: 0, limit: 10) == true)
    }

    @Test func aClientThatHasTheNewestValueGetsNothing() {
        var position = position(at: 4)
        _ = position.accepts(revision: 5, byteCount: 9, pendingBytes: 9, limit: 10)
        _ = position.flushed()
        #expect(position.caughtUp(revision: 6, lastChangedRevision: 4) == nil)
        #expect(position.lastSentRevision == 4)
        #expect(position.skippedCount == 0)
    }

    /// A value can be on its way for long, and be old when it comes.
    @Test func anEventThatIsSkippedBehindTheFetchedValueIsFetchedAgain() {
        var position = position()
        _ = position.accepts(revision: 1, byteCount: 9, pendingBytes: 9, limit: 10)
        #expect(position.flushed() == true)
        let count = position.skippedCount
        #expect(position.accepts(revision: 2, byteCount: 1, pendingBytes: 0, limit: 10) == false)
        #expect(position.caughtUp(revision: 1, lastChangedRevision: 1, of: count) == 0)
        #expect(position.flushed() == true)
        #expect(position.caughtUp(revision: 2, lastChangedRevision: 2, of: position.skippedCount) == 0)
        #expect(position.accepts(revision: 3, byteCount: 1, pendingBytes: 0, limit: 10) == true)
    }

    @Test func aClientThatKeepsUpFetchesNothing() {
        var position = position()
        #expect(position.flushed() == false)
        _ = position.accepts(revision: 1, byteCount: 1, pendingBytes: 0, limit: 10)
        #expect(position.flushed() == false)
    }

    @Test func eventsOfEffectsAreDroppedWithoutBeingCounted() {
        let position = position()
        #expect(position.acceptsPassing(byteCount: 100, pendingBytes: 0, limit: 10))
        #expect(!position.acceptsPassing(byteCount: 5, pendingBytes: 6, limit: 10))
        #expect(position.skippedCount == 0)
    }

    /// Whatever the client reads and when: revisions ascend, and sent and skipped events together are all events.
    @Test func noEventIsLostWithoutBeingCounted() {
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            var position = position()
            var (pending, accounted, last) = (0, 0, 0)
            for revision in 1...100 {
                if position.accepts(revision: revision, byteCount: 3, pendingBytes: pending, limit: 10) {
                    #expect(revision > last)
                    (last, accounted, pending) = (revision, accounted + 1, pending + 3)
                }
                pending = Bool.random(using: &random) ? 0 : pending
                let isLast = revision == 100
                guard pending == 0 || isLast, position.flushed() else { continue }
                if let skipped = position.caughtUp(revision: revision, lastChangedRevision: revision) {
                    #expect(revision > last)
                    (last, accounted) = (revision, accounted + skipped + 1)
                }
            }
            #expect(last == 100)
            #expect(accounted == 100)
        }
    }
}

/// When a stream sends heartbeats, and when it rotates.
@Suite struct StreamClockTests {
    private func instant(_ seconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 0).advanced(by: .seconds(seconds))
    }

    @Test func silenceIsBrokenByAHeartbeat() {
        var clock = StreamClock(now: instant(0), heartbeatInterval: .seconds(10), lifetime: nil)
        #expect(clock.timerDelay(now: instant(0)) == .seconds(10))
        #expect(clock.timerFired(now: instant(10), pendingBytes: 0, nextInterval: .seconds(8)) == .sendHeartbeat)
        #expect(clock.timerDelay(now: instant(10)) == .seconds(8))
    }

    @Test func anEventPutsTheHeartbeatOff() {
        var clock = StreamClock(now: instant(0), heartbeatInterval: .seconds(10), lifetime: nil)
        clock.sent(now: instant(7))
        #expect(clock.timerFired(now: instant(10), pendingBytes: 0, nextInterval: .zero) == .wait)
        #expect(clock.timerDelay(now: instant(10)) == .seconds(7))
    }

    @Test func aClientWithPendingBytesGetsNoHeartbeat() {
        var clock = StreamClock(now: instant(0), heartbeatInterval: .seconds(10), lifetime: nil)
        #expect(clock.timerFired(now: instant(10), pendingBytes: 1, nextInterval: .seconds(9)) == .wait)
        #expect(clock.timerDelay(now: instant(10)) == .seconds(9))
    }

    @Test func aStreamRotatesAtTheEndOfItsLifetime() {
        var clock = StreamClock(now: instant(0), heartbeatInterval: .seconds(10), lifetime: .seconds(15))
        #expect(clock.timerDelay(now: instant(0)) == .seconds(10))
        #expect(clock.timerFired(now: instant(10), pendingBytes: 0, nextInterval: .seconds(10)) == .sendHeartbeat)
        #expect(clock.timerDelay(now: instant(10)) == .seconds(5))
        #expect(clock.timerFired(now: instant(15), pendingBytes: 0, nextInterval: .seconds(10)) == .rotate)
    }
}
