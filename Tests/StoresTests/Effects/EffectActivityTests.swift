import Stores
import StoresTesting
import Testing

/// Which running effects a shutdown waits for.
@Suite struct EffectActivityTests {
    private let start = ContinuousClock.now
    private let hour = Duration.seconds(3600)

    @Test func aCallIsAwaitedUntilItHasEnded() {
        var activity = EffectActivity(at: start)
        activity.operationBegan(at: start)
        activity.callBegan()
        activity.callBegan()
        #expect(activity.isAwaited(at: start + hour))
        activity.callEnded(at: start + hour)
        #expect(activity.isAwaited(at: start + hour * 2))
        activity.callEnded(at: start + hour)
        // Its result is on the way.
        #expect(activity.isAwaited(at: start + hour))
        #expect(!activity.isAwaited(at: start + hour + EffectActivity.timeAfterCall))
    }

    @Test func anEffectThatHasJustBegunIsAwaitedForAMoment() {
        var activity = EffectActivity(at: start)
        #expect(activity.isAwaited(at: start))
        activity.operationBegan(at: start + hour)
        #expect(activity.isAwaited(at: start + hour))
        #expect(!activity.isAwaited(at: start + hour + EffectActivity.timeAfterStart))
    }

    @Test func aDelayIsNotAwaited() {
        var activity = EffectActivity(at: start)
        activity.delayBegan()
        #expect(!activity.isAwaited(at: start))
        activity.operationBegan(at: start)
        #expect(activity.isAwaited(at: start))
    }

    @Test func aCallThatIsReportedCountsUntilItsClientSaysThatItHasEnded() {
        let context = Recorder<EffectContext>()
        let recorder = EffectRecorder(.parallel) { _ in
            guard let current = EffectContext.current else { return nil }
            current.report(.calling("animal"))
            current.report(.failed(code: "timeout"))
            context.record(current)
            return nil
        }
        recorder.send(.start(1))
        let reported = context.values[0]
        #expect(reported.isAwaited(at: .now + hour))
        reported.callEnded()
        #expect(!reported.isAwaited(at: .now + hour))
    }
}
