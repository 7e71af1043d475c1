import Locks
import Platform
import Sessions
import StoreHosting
import Stores
import Testing

/// The session time: a wall clock that nobody can set.
@Suite struct SessionClockTests {
    private static let day = 86_400_000
    private static let wall = 1_700_000_000_000

    private static func time(
        steady: Int, wall: Int, boot: UInt64? = 7, after last: SessionTimeReference?
    ) -> Int {
        SessionClock.time(steady: steady, wall: wall, boot: boot, after: last, maxAbsence: day / 2)
    }

    private static let last = SessionTimeReference(time: 5000, steady: 100, wall: wall, boot: 7)

    @Test func itBeginsAsTheWallClock() {
        #expect(Self.time(steady: 3, wall: Self.wall, after: nil) == Self.wall)
    }

    @Test(arguments: [0, day, -day, 1000 * day])
    func aStepBetweenTwoProcessesDoesNotCount(_ step: Int) {
        #expect(Self.time(steady: 100 + 2 * Self.day, wall: Self.wall + step, after: Self.last) == 5000 + 2 * Self.day)
    }

    @Test(arguments: [
        (0, 0), (1000, 1000), (day / 2, day / 2), (day, day / 2), (1000 * day, day / 2), (-day, 0),
    ])
    func theTimeOfARebootCountsAsFarAsTheWallClockIsTrusted(_ passed: Int, _ counted: Int) {
        let wall = Self.wall + passed
        #expect(Self.time(steady: 50, wall: wall, boot: 8, after: Self.last) == 5000 + counted)
        #expect(Self.time(steady: 500, wall: wall, boot: nil, after: Self.last) == 5000 + counted)
        // A boot cannot have a smaller clock later.
        #expect(Self.time(steady: 50, wall: wall, after: Self.last) == 5000 + counted)
    }

    @Test func itFollowsTheMonotonicClock() {
        let clocks = Locked((wall: Self.wall, steady: 10))
        let clock = SessionClock(
            WallClock(now: { clocks.withLock(\.wall) }, steady: { clocks.withLock(\.steady) }, boot: 1))
        #expect(clock.now() == Self.wall)
        clocks.withLock { $0 = (Self.wall + Self.day, 15) }
        #expect(clock.now() == Self.wall + 5)
        #expect(clock.shown(Self.wall) == Self.wall + Self.day - 5)
        clocks.withLock { $0 = (Self.wall + 500, 15) }
        #expect(clock.shown(Self.wall) == Self.wall)
    }

    @Test func theSystemsClocksGoOn() {
        let first = steadyTime()
        #expect(first > 0 && steadyTime() >= first)
        #expect(bootIdentity() == bootIdentity())
        #if os(Linux)
            #expect(bootIdentity() != nil)
        #endif
    }
}
