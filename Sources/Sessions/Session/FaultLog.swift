import Locks
import Observability
import StoreHosting
import Stores

/// The log lines about faults in the code of one kind that its stores have contained.
///
/// An action that a client repeats may cause the same fault each time, so these lines are bounded; see ``LineBudget``.
final class FaultLog: Sendable {
    private struct Cause: Hashable {
        let fault: Int
        let name: String
    }

    /// The code of a kind chooses the names, so there may be any number of them.
    private static let maxCauses = 64

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

    func write(_ fault: StoreFault) {
        let (message, cause, fields) = Self.line(of: fault)
        write(message, cause, fields, detail: fault.description)
    }

    func writeSlowAccess(milliseconds: Int, in session: String) {
        write(
            "access function is slow", Cause(fault: 8, name: ""),
            [LogField("session", session), LogField("milliseconds", milliseconds)],
            detail: "The access function of the store took \(milliseconds) ms, and nothing else could use the session.")
    }

    func write(_ stall: RunningFunctions.Stall) {
        write(
            "a function of a store does not return", Cause(fault: 9, name: stall.type),
            [LogField("session", stall.session), LogField("type", stall.type)],
            detail:
                "It has run for some seconds. Nothing else can use the state that it was called with, usually that of the session, until it returns."
        )
    }

    private func write(_ message: String, _ cause: Cause, _ fields: [LogField], detail: String) {
        let now = clock.steady()
        guard let omitted = budgets.withLock({ $0.take(cause, now: now) }) else { return }
        log.error(
            message,
            [LogField("store", kind)] + fields + [.init("detail", detail)]
                + (omitted > 0 ? [.init("omitted", omitted)] : []))
    }

    private static func line(of fault: StoreFault) -> (String, Cause, [LogField]) {
        switch fault {
        case .cascadeStopped(let limit, let dropped):
            ("cascade stopped", Cause(fault: 0, name: ""), [.init("limit", limit), .init("dropped", dropped)])
        case .invariantBroken(let name):
            ("invariant broken", Cause(fault: 1, name: name), [.init("invariant", name)])
        case .undeclaredAction(let name):
            ("undeclared action", Cause(fault: 2, name: name), [.init("type", name)])
        case .sentWithoutUser(let name):
            ("action without a user", Cause(fault: 7, name: name), [.init("type", name)])
        case .stateTooLarge(let origin, let type, let label):
            (
                "state too large", Cause(fault: 3, name: type),
                [.init("session", label), .init("origin", origin.rawValue), .init("type", type)]
            )
        case .actionLost(let loss, let origin, let type, let label):
            (
                "action lost", Cause(fault: 4, name: loss.rawValue),
                [
                    .init("session", label), .init("reason", loss.rawValue), .init("origin", origin.rawValue),
                    .init("type", type),
                ]
            )
        case .reducerStalled(let seconds):
            ("reducer stalled", Cause(fault: 5, name: ""), [.init("seconds", seconds)])
        case .awaitedInReducer: ("dispatch awaited in a reducer", Cause(fault: 6, name: ""), [])
        }
    }
}
