import StoreHosting
import Testing

@Suite("A search for sessions that were never used")
struct UnusedSessionsTests {
    @Test(
        "begins next at the oldest unused session, and behind the sessions of a full page",
        arguments: [
            // Nothing is left.
            (oldest: nil, last: nil, next: 90),
            // The oldest unused session may still be there.
            (oldest: 20, last: nil, next: 20),
            // More sessions than one search looks at.
            (oldest: 20, last: 50, next: 50),
            (oldest: 10, last: 10, next: 11),
        ] as [(oldest: Int?, last: Int?, next: Int)])
    func next(oldest: Int?, last: Int?, next: Int) {
        #expect(UnusedSessions([], oldest: oldest, last: last, from: 10, before: 90).next == next)
    }

    @Test("begins earlier if the clock was set back")
    func clockSetBack() {
        #expect(UnusedSessions([], oldest: nil, last: nil, from: 10, before: 5).next == 5)
    }
}
