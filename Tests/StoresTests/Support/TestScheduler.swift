import Stores
import StoresTesting

/// An environment in which effects run and time passes only in calls of the test, on its thread.
struct TestScheduler: Sendable {
    let clock = TestClock()
    let executor = ManualExecutor()
    let faults = Recorder<StoreFault>()

    func environment(
        effectLimit: Int = 64, cascadeLimit: Int = 100,
        effects: (@Sendable (EffectEvent) -> Void)? = nil
    ) -> StoreEnvironment {
        StoreEnvironment(
            clock: clock, effectLimit: effectLimit, cascadeLimit: cascadeLimit,
            report: { [faults] in faults.record($0) }, effects: effects, startTask: executor.startTask)
    }

    func run() { executor.run() }

    /// Runs all effects, advances the time, and runs them again.
    func advance(by milliseconds: Int) {
        run()
        clock.advance(by: .milliseconds(milliseconds))
        run()
    }
}

extension Receipt {
    /// Whether its effects have ended.
    var isSettled: Bool {
        let received = Recorder<Bool>()
        guard let effectGroup else { return true }
        effectGroup.whenSettled { received.record(true) }
        return !received.values.isEmpty
    }
}
