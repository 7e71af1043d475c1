import Locks
import Observability
import Stores

/// The log lines about effects of one kind.
///
/// Each failed effect is a line, with the mark of its session and the id of the request that has caused it. So is a call that a
/// service has refused although the kind takes that for a result, such as a wrong password. While a service is down these lines are
/// bounded; see ``LineBudget``. With the level `debug`, each event of each effect is a line. A line has the name of the effect and not
/// its id, which may contain the text of a user.
final class EffectLog: Sendable {
    private struct Cause: Hashable {
        let effect: String
        let upstream: String?
        let code: String?
        let status: Int?
    }

    /// The code of a kind chooses the codes, so there may be any number of them.
    private static let maxCauses = 256

    private let kind: String
    private let log: Log
    private let clock: WallClock
    // Guards the budgets. Taken inside the lock of a store; nothing is called while it is held.
    private let budgets = Locked(Budgets<Cause>(limit: maxCauses))

    init(of kind: String, _ log: Log, _ clock: WallClock) {
        self.kind = kind
        self.log = log
        self.clock = clock
    }

    package func write(_ event: EffectEvent) {
        if log.isEnabled(.debug) { log.debug("effect", [.init("phase", event.phase.rawValue)] + fields(event)) }
        let isRefused = event.phase == .succeeded && event.lastAttempt.status.map { $0 >= 400 } == true
        guard event.phase == .failed || isRefused, log.isEnabled(isRefused ? .info : .warning),
            let omitted = admit(event)
        else { return }
        let fields = fields(event) + (omitted > 0 ? [.init("omitted", omitted)] : [])
        if isRefused { return log.info("remote call refused", fields) }
        log.warning(event.upstream == nil ? "effect failed" : "remote call failed", fields)
    }

    /// - Returns: how many lines were left out before this one; nil if this one is.
    private func admit(_ event: EffectEvent) -> Int? {
        let now = clock.steady()
        let cause = Cause(
            effect: event.effect.name, upstream: event.upstream, code: event.code, status: event.lastAttempt.status)
        return budgets.withLock { $0.take(cause, now: now) }
    }

    private func fields(_ event: EffectEvent) -> [LogField] {
        var fields = [LogField("store", kind), .init("effect", event.effect.name), .init("cause", event.cause)]
        func add(_ name: StaticString, _ text: String?) {
            if let text { fields.append(LogField(name, text)) }
        }
        func add(_ name: StaticString, _ number: Int?) {
            if let number { fields.append(LogField(name, number)) }
        }
        add("session", event.source?.label)
        add("requestId", event.source?.requestID)
        add("upstream", event.upstream)
        add("attempt", event.attempt)
        add("code", event.code)
        add("status", event.lastAttempt.status)
        add("curl", event.lastAttempt.libraryCode)
        if let duration = event.duration { fields.append(.init("seconds", .milliseconds(duration))) }
        return fields
    }
}
