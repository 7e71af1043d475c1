import Foundation
import Stores
import Synchronization

/// Measures one thread on one store, eight threads on one store each, and eight threads on one store.
func measureThreads(_ stopwatch: Stopwatch) -> Numbers {
    let threads = 8
    let turns = 5
    let count = stopwatch.size { increment(makeStore(), times: $0) }
    var alone: [Double] = []
    var apart: [Double] = []
    var together: [Double] = []
    for _ in 0..<turns {
        alone.append(perSecond([makeStore()], times: count))
        apart.append(perSecond((0..<threads).map { _ in makeStore() }, times: count / 4))
        let shared = makeStore()
        together.append(perSecond((0..<threads).map { _ in shared }, times: count / threads))
    }
    return [
        "onePerSecond": median(alone),
        "apartPerSecond": median(apart),
        "apartTimes": median(apart) / median(alone),
        "togetherPerSecond": median(together),
        "togetherPercent": median(together) / median(alone) * 100,
    ]
}

/// The dispatches per second if each of these stores has a dispatching thread. A store may occur more than once.
private func perSecond(_ stores: [Store<TenState, TenAction>], times: Int) -> Double {
    let gate = Gate()
    let ended = DispatchGroup()
    for store in stores {
        ended.enter()
        Thread {
            gate.pass()
            increment(store, times: times)
            ended.leave()
        }.start()
    }
    gate.wait(for: stores.count)
    let took = ContinuousClock().measure {
        gate.open()
        ended.wait()
    }
    for store in stores { check(store) }
    return Double(stores.count * times) / (took / .seconds(1))
}

/// A barrier that threads wait for before they start together.
private final class Gate: Sendable {
    private let arrived = Atomic(0)
    private let isOpen = DispatchSemaphore(value: 0)

    /// Waits for the gate to open.
    func pass() {
        arrived.add(1, ordering: .relaxed)
        isOpen.wait()
        isOpen.signal()
    }

    func wait(for count: Int) {
        while arrived.load(ordering: .relaxed) < count { Thread.sleep(forTimeInterval: 0.0001) }
    }

    func open() { isOpen.signal() }
}
