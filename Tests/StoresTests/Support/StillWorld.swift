import Stores
import StoresTesting

/// Surroundings that stand still: effects go on and time passes only when the test says so, on its thread.
struct StillWorld: Sendable {
    let clock = TestClock()
    let executor = ManualExecutor()
    let faults = Recorder<StoreFault>()

    func environment(
        effectLimit: Int = 64, cascadeLimit: Int = 100, effectOrder: EffectOrder = .concurrent,
        effects: (@Sendable (EffectEvent) -> Void)? = nil
    ) -> StoreEnvironment {
        StoreEnvironment(
            clock: clock, executor: executor, effectLimit: effectLimit, cascadeLimit: cascadeLimit,
            effectOrder: effectOrder, report: { [faults] in faults.record($0) }, effects: effects)
    }

    func run() { executor.run() }

    /// Lets everything go as far as it goes, then moves the time on, and lets everything go on again.
    func advance(by milliseconds: Int) {
        run()
        clock.advance(by: .milliseconds(milliseconds))
        run()
    }
}

extension Receipt {
    /// Whether nothing of its chain runs any more.
    var isSettled: Bool {
        let told = Recorder<Bool>()
        guard let chain else { return true }
        chain.whenSettled { told.record(true) }
        return !told.values.isEmpty
    }
}
