import Stores
import Testing

/// The one clock that no test can own: it is awaited itself, for milliseconds.
@Suite struct SystemClockTests {
    private let clock = SystemClock()

    @Test func neverGoesBackByItself() {
        let earlier = clock.now()
        #expect(earlier > 1_700_000_000_000)
        #expect(clock.now() >= earlier)
    }

    @Test func sleepsUntilTheMomentAndNotShorter() async throws {
        let moment = clock.now() + 5
        try await clock.sleep(until: moment)
        #expect(clock.now() >= moment)
    }

    @Test(arguments: [Int.min, -1, 0, 1])
    func aMomentThatHasPassedIsNotWaitedFor(_ moment: Int) async throws {
        try await clock.sleep(until: moment)
    }

    @Test(arguments: [0, Int.max])
    func cancellationEndsTheSleepAtOnce(_ moment: Int) async {
        let sleeper = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(until: moment)
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func cancellationEndsASleepUnderWay() async {
        let sleeper = Task { [clock] in try await clock.sleep(until: .max) }
        await Task.yield()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
