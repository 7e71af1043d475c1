import Platform
import RemoteServices
import Sockets
import Stores
import Threads

/// The calls to one remote service: it starts them, queues them or refuses them. It lives on the loop.
final class UpstreamPool {
    let settings: UpstreamSettings
    let address: HTTPURL
    let userAgent: String
    let counters: UpstreamMetrics
    let observe: (@Sendable (UpstreamEvent) -> Void)?
    private let shared: LoopBound<SharedCurl>
    private var breaker: CircuitBreaker {
        didSet { if breaker.phase != oldValue.phase { publishCircuitState() } }
    }
    private var budget = RetryBudget(at: .current)
    private let trust: TrustFiles
    private var running: [ObjectIdentifier: RemoteCall] = [:]
    private var waiting = RemovableQueue<RemoteCall>()
    private var isStartingWaiting = false

    init(
        _ settings: UpstreamSettings, address: HTTPURL, userAgent: String, shared: LoopBound<SharedCurl>,
        counters: UpstreamMetrics, observe: (@Sendable (UpstreamEvent) -> Void)?
    ) {
        self.settings = settings
        self.address = address
        self.userAgent = userAgent
        self.shared = shared
        self.counters = counters
        self.observe = observe
        trust = TrustFiles(settings)
        breaker = CircuitBreaker(failures: settings.breakerFailures, cooldown: settings.breakerCooldown)
    }

    var loop: any EventLoop { shared.value.loop }

    func start(_ transfer: CurlTransfer) { shared.value.start(transfer) }

    /// The certificates and keys of the next transfer. If they were replaced, it gets no connection from before.
    func currentTrust() -> TrustFiles.Material {
        switch trust.look(now: systemTime()) {
        case nil: break
        case .replaced:
            shared.value.expireConnections()
            observe?(.trustReplaced(upstream: settings.name))
        case .unusable(let reason): observe?(.trustUnusable(upstream: settings.name, reason: reason))
        }
        return trust.material
    }

    /// Starts, queues or refuses a call.
    func enter(_ call: RemoteCall) {
        counters.countCall()
        defer { updateGauges() }
        guard !shared.value.isClosed else { return call.end(.stopping) }
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
        call.end(.circuitOpen, "\(settings.name) failed too often; its circuit is open")
    }

    /// Removes a call that has ended, running or waiting.
    func leave(_ call: RemoteCall, _ permit: CircuitBreaker.Permit?, _ verdict: CircuitBreaker.Verdict) {
        if let permit { breaker.record(verdict, for: permit, at: loop.now) }
        running[ObjectIdentifier(call)] = nil
        if waiting.remove(call) { waiting.compact() }
        startWaiting()
        updateGauges()
    }

    private func updateGauges() {
        counters.set(inFlight: running.count, waiting: waiting.count)
    }

    private func publishCircuitState() {
        counters.set(breaker.phase)
        observe?(.circuit(upstream: settings.name, breaker.phase))
    }

    private func startWaiting() {
        // A refused call leaves at once and calls this method again; the flag stops the recursion.
        guard !isStartingWaiting, !shared.value.isClosed else { return }
        isStartingWaiting = true
        defer { isStartingWaiting = false }
        while running.count < max(settings.maxConcurrent, 1), let call = waiting.popFirst() {
            start(call)
        }
        waiting.compact()
    }

    /// Takes a retry from the budget. Returns false if it is empty, or if the circuit changed since the call began.
    func takeRetry(_ permit: CircuitBreaker.Permit) -> Bool {
        guard breaker.isCurrent(permit), budget.takeRetry(at: loop.now) else { return false }
        counters.countRetry()
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

/// A queue whose elements can be removed anywhere in amortized constant time.
///
/// A removed element leaves a gap in the array. ``compact()`` closes the gaps when they outnumber the elements.
package struct RemovableQueue<Element: AnyObject> {
    private var slots: [Element?] = []
    private var first = 0
    private var positions: [ObjectIdentifier: Int] = [:]

    package init() {}

    package var count: Int { positions.count }

    package mutating func append(_ element: Element) {
        positions[ObjectIdentifier(element)] = slots.count
        slots.append(element)
    }

    package mutating func popFirst() -> Element? {
        while first < slots.count {
            defer { first += 1 }
            guard let element = slots[first] else { continue }
            remove(element)
            return element
        }
        return nil
    }

    /// - Returns: false if it is not in the queue.
    @discardableResult
    package mutating func remove(_ element: Element) -> Bool {
        guard let position = positions.removeValue(forKey: ObjectIdentifier(element)) else { return false }
        slots[position] = nil
        return true
    }

    /// Closes the gaps if there are many.
    package mutating func compact() {
        guard slots.count > 2 * count + 32 else { return }
        slots = slots.compactMap(\.self)
        first = 0
        for (position, element) in slots.enumerated() {
            if let element { positions[ObjectIdentifier(element)] = position }
        }
    }
}
