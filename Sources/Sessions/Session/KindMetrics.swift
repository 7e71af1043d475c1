import Locks
package import Observability
package import Platform
package import StoreHosting
package import Stores
import Threads

/// Counts and times of the actions that clients dispatch to the sessions of one kind.
package final class KindMetrics: Sendable {
    private let dispatches = DurationHistogram()
    private let commits = DurationHistogram()
    private let outcomes = Counters<Outcome>()
    private let entries = Counters<EntryOutcome>()
    private let faults = Counters<Fault>()

    /// The value of the label `outcome`.
    private enum Outcome: String, CaseIterable {
        case committed, ignored, rejected, refused
        case dryRun = "dry-run"
        case revisionMismatch = "revision-mismatch"
        case forbidden, overloaded, ended
    }

    /// The value of the label `outcome` of the entries of clients.
    private enum EntryOutcome: String, CaseIterable {
        case committed, ignored, rejected, mismatched, refused
        /// Decided by an earlier request.
        case replayed
    }

    /// The value of the label `fault`.
    private enum Fault: String, CaseIterable {
        case cascadeStopped = "cascade-stopped"
        case invariantBroken = "invariant-broken"
        case undeclaredAction = "undeclared-action"
        case sentWithoutUser = "sent-without-user"
        case stateTooLarge = "state-too-large"
        case tooManyEffects = "too-many-effects"
        case tooManyMembers = "too-many-members"
        case overloaded
        case lateEmission = "late-emission"
        case awaitedInReducer = "awaited-in-reducer"
        case reducerStalled = "reducer-stalled"
        case slowAccess = "slow-access"
        case functionStalled = "function-stalled"
    }

    /// Counts a fault that a store has reported.
    package func reported(_ fault: StoreFault) {
        let label: Fault =
            switch fault {
            case .cascadeStopped: .cascadeStopped
            case .invariantBroken: .invariantBroken
            case .undeclaredAction: .undeclaredAction
            case .sentWithoutUser: .sentWithoutUser
            case .stateTooLarge, .actionLost(.stateTooLarge, _, _, _): .stateTooLarge
            case .actionLost(.tooManyEffects, _, _, _): .tooManyEffects
            case .actionLost(.tooManyMembers, _, _, _): .tooManyMembers
            case .actionLost(.overloaded, _, _, _): .overloaded
            case .actionLost(.lateEmission, _, _, _): .lateEmission
            case .awaitedInReducer: .awaitedInReducer
            case .reducerStalled: .reducerStalled
            }
        faults.add(to: label)
    }

    /// Counts a question for the rights of an actor that took long.
    func accessWasSlow() { faults.add(to: .slowAccess) }

    /// Counts a function that does not return.
    func functionStalled() { faults.add(to: .functionStalled) }

    /// Counts a result of the store.
    ///
    /// - Returns: the moment of the result.
    package func dispatched(_ result: DispatchResult, isDryRun: Bool, since start: MonotonicInstant) -> MonotonicInstant
    {
        let now = MonotonicInstant.current
        dispatches.add(nanoseconds: start.nanoseconds(to: now))
        outcomes.add(to: Self.outcome(result.outcome, isDryRun: isDryRun))
        return now
    }

    /// Counts an entry of a client by what an answer tells of it.
    ///
    /// - Parameter isReplayed: whether an earlier request decided it.
    func answered(_ decision: KeptOutcome.Decision, isReplayed: Bool) {
        entries.add(to: isReplayed ? .replayed : Self.outcome(decision))
    }

    /// Measures how long the commit of a dispatch took to become durable.
    package func committed(from start: MonotonicInstant, to end: MonotonicInstant) {
        commits.add(nanoseconds: start.nanoseconds(to: end))
    }

    private static func outcome(_ outcome: DispatchResult.Outcome, isDryRun: Bool) -> Outcome {
        switch outcome {
        case .committed: isDryRun ? .dryRun : .committed
        case .ignored: isDryRun ? .dryRun : .ignored
        case .refused: .refused
        case .rejected: .rejected
        case .forbidden: .forbidden
        case .revisionMismatch: .revisionMismatch
        case .overloaded: .overloaded
        case .ended: .ended
        }
    }

    private static func outcome(_ decision: KeptOutcome.Decision) -> EntryOutcome {
        switch decision {
        case .committed: .committed
        case .ignored: .ignored
        case .rejected: .rejected
        case .mismatched: .mismatched
        case .refused: .refused
        }
    }

    package func write(_ kind: String, into text: inout PrometheusWriter) {
        let labels = [("kind", kind)]
        text.histogram(
            "storehouse_dispatch_duration_seconds",
            "Time in which a store decides on an action or a batch of a client, with the wait for the store.",
            dispatches, labels: labels)
        text.histogram(
            "storehouse_commit_duration_seconds",
            "Time from the commit of an action or a batch of a client until it is durable.", commits, labels: labels)
        outcomes.write(
            "storehouse_dispatches_total", "Actions and batches of clients, by kind and outcome.", "outcome",
            labels: labels, into: &text)
        entries.write(
            "storehouse_sync_entries_total", "Entries of the outboxes of clients in answers, by kind and outcome.",
            "outcome", labels: labels, into: &text)
        faults.write(
            "storehouse_faults_total",
            "Faults of the code of a kind that its stores have reported. Lost actions count once a minute, a session and a reason.",
            "fault", labels: labels, into: &text)
    }
}

extension MonotonicInstant {
    /// The nanoseconds until a later moment; 0 until an earlier one.
    package func nanoseconds(to later: MonotonicInstant) -> Int {
        later.nanoseconds > nanoseconds ? Int(clamping: later.nanoseconds - nanoseconds) : 0
    }
}

/// Counts the events of effects by name, phase and code.
///
/// Names and codes come from the code of store kinds, which may make them at run time. So their number is bounded: once it
/// is reached, new ones are counted as `other`.
package final class EffectCounts: Sendable {
    private static let maxNames = 64
    private static let maxCodes = 32

    private struct Key: Hashable {
        let name: String
        let phase: EffectEvent.Phase
        let code: String
    }

    private struct Contents {
        var names: Set<String> = []
        var codes: Set<String> = []
        var counts: [Key: Int] = [:]
    }

    // Taken inside the locks of stores; nothing is called while it is held.
    private let contents = Locked(Contents())

    package init() {}

    package func count(name: String, phase: EffectEvent.Phase, code: String?) {
        contents.withLock { contents in
            let name = Self.label(name, in: &contents.names, limit: Self.maxNames)
            let code = code.map { Self.label($0, in: &contents.codes, limit: Self.maxCodes) } ?? "none"
            contents.counts[Key(name: name, phase: phase, code: code), default: 0] += 1
        }
    }

    private static func label(_ text: String, in known: inout Set<String>, limit: Int) -> String {
        if known.contains(text) { return text }
        guard known.count < limit else { return "other" }
        known.insert(text)
        return text
    }

    package func write(into text: inout PrometheusWriter) {
        let counts = contents.withLock { $0.counts }
        let sorted = counts.sorted {
            ($0.key.name, $0.key.phase.rawValue, $0.key.code) < ($1.key.name, $1.key.phase.rawValue, $1.key.code)
        }
        for (key, count) in sorted {
            text.counter(
                "storehouse_effects_total", "Events of effects, by the effect's name, the phase and the code.", count,
                labels: [("effect", key.name), ("phase", key.phase.rawValue), ("code", key.code)])
        }
    }
}
