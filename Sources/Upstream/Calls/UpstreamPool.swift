import RemoteServices
import Sockets
import Stores

/// The calls to one remote service: which run, which wait, which are refused. Lives on the loop.
final class UpstreamPool {
    let settings: UpstreamSettings
    let address: HTTPURL
    let userAgent: String
    let meter: UpstreamMetrics
    let observe: (@Sendable (UpstreamEvent) -> Void)?
    private let hub: LoopBound<UpstreamHub>
    private var breaker: CircuitBreaker {
        didSet { if breaker.phase != oldValue.phase { tellCircuit() } }
    }
    private var budget = RetryBudget(at: .current)
    private var running: [ObjectIdentifier: RemoteCall] = [:]
    private var waiting = RemovableQueue<RemoteCall>()
    private var isStartingWaiting = false

    init(
        _ settings: UpstreamSettings, address: HTTPURL, userAgent: String, hub: LoopBound<UpstreamHub>,
        meter: UpstreamMetrics, observe: (@Sendable (UpstreamEvent) -> Void)?
    ) {
        self.settings = settings
        self.address = address
        self.userAgent = userAgent
        self.hub = hub
        self.meter = meter
        self.observe = observe
        breaker = CircuitBreaker(failures: settings.breakerFailures, cooldown: settings.breakerCooldown)
    }

    var loop: any EventLoop { hub.value.loop }
    var multi: CurlMulti { hub.value.multi }

    /// Starts a call, lets it wait, or refuses it.
    func enter(_ call: RemoteCall) {
        meter.countCall()
        defer { tellCrowd() }
        guard !hub.value.isClosed else { return call.end(.stopping) }
        if breaker.refuses(at: loop.now) {
            refuse(call)
        } else if running.count < max(settings.maxConcurrent, 1) {
            start(call)
        } else if waiting.count < settings.waitingLimit {
            waiting.append(call)
        } else {
            call.end(.overloaded, "too many calls to \(settings.name) are under way")
        }
    }

    private func start(_ call: RemoteCall) {
        guard let permit = breaker.admit(at: loop.now) else { return refuse(call) }
        running[ObjectIdentifier(call)] = call
        budget.countCall()
        call.start(permit)
    }

    private func refuse(_ call: RemoteCall) {
        call.end(.circuitOpen, "\(settings.name) failed too often; it is not called for a while")
    }

    /// A call has ended, wherever it was.
    func leave(_ call: RemoteCall, _ permit: CircuitBreaker.Permit?, _ verdict: CircuitBreaker.Verdict) {
        if let permit { breaker.record(verdict, for: permit, at: loop.now) }
        running[ObjectIdentifier(call)] = nil
        if waiting.remove(call) { waiting.tidy() }
        startWaiting()
        tellCrowd()
    }

    private func tellCrowd() {
        meter.set(inFlight: running.count, waiting: waiting.count)
    }

    private func tellCircuit() {
        meter.set(breaker.phase)
        observe?(.circuit(upstream: settings.name, breaker.phase))
    }

    private func startWaiting() {
        // A call that is refused leaves at once, and would come back here, deeper each time.
        guard !isStartingWaiting, !hub.value.isClosed else { return }
        isStartingWaiting = true
        defer { isStartingWaiting = false }
        while running.count < max(settings.maxConcurrent, 1), let call = waiting.popFirst() {
            start(call)
        }
        waiting.tidy()
    }

    /// Whether a call may be tried again: the circuit is as it was when the call began, and the budget has a retry.
    func takeRetry(_ permit: CircuitBreaker.Permit) -> Bool {
        guard breaker.stands(permit), budget.takeRetry(at: loop.now) else { return false }
        meter.countRetry()
        return true
    }

    func interruptAll() {
        for call in running.values {
            call.end(.stopping)
        }
        while let call = waiting.popFirst() {
            call.end(.stopping)
        }
    }
}

/// A queue that can be left from the middle: everything is O(1) on average.
///
/// Who leaves stays in the array, marked as gone, until it is popped or the marked outnumber the others.
package struct RemovableQueue<Element: AnyObject> {
    private var places: [Element?] = []
    private var first = 0
    private var positions: [ObjectIdentifier: Int] = [:]

    package init() {}

    package var count: Int { positions.count }

    package mutating func append(_ element: Element) {
        positions[ObjectIdentifier(element)] = places.count
        places.append(element)
    }

    package mutating func popFirst() -> Element? {
        while first < places.count {
            defer { first += 1 }
            guard let element = places[first] else { continue }
            remove(element)
            return element
        }
        return nil
    }

    /// - Returns: whether it waited.
    @discardableResult
    package mutating func remove(_ element: Element) -> Bool {
        guard let position = positions.removeValue(forKey: ObjectIdentifier(element)) else { return false }
        places[position] = nil
        return true
    }

    /// Forgets those who are gone, when there are many.
    package mutating func tidy() {
        guard places.count > 2 * count + 32 else { return }
        places = places.compactMap(\.self)
        first = 0
        for (position, element) in places.enumerated() {
            if let element { positions[ObjectIdentifier(element)] = position }
        }
    }
}
