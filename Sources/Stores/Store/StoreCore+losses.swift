// Actions that are refused although nobody waits for their receipt. Everything here happens under the store's lock.
extension StoreCore {
    /// Keeps the timer whose action a bound has refused, and reports any other action: it is lost.
    ///
    /// - Parameter index: of the rejected action in its batch.
    /// - Returns: the fault; nil if a rule has rejected the action, and not a bound, or if such a fault was reported already.
    @usableFromInline
    @inline(never)
    package func refused(
        _ submission: QueuedActions<Action>, _ rejection: Rejection, index: Int, _ contents: ContentsPointer
    ) -> StoreFault? {
        guard let bound = ActionLoss(rejection) else { return nil }
        let details = submission.envelope.details
        if let details, details.endsEffect, let isFirst = contents.pointee.pending?.keepTimer(details.effectRunID),
            !isFirst
        {
            return nil
        }
        return reportLoss(of: submission.actions[index], submission.envelope.origin, at: bound, contents)
    }

    /// Reports an action that is lost, unless the store has ended.
    ///
    /// - Returns: the fault; nil if the host has reported such a fault a short time before.
    @usableFromInline
    @discardableResult
    package func reportLoss(
        of action: Action, _ origin: Origin, at bound: ActionLoss, _ contents: ContentsPointer
    ) -> StoreFault? {
        guard !contents.pointee.hasEnded else { return nil }
        let fault =
            if let observer = contents.pointee.observer {
                observer.faultOfLosing(action, from: origin, at: bound, at: environment.now)
            } else {
                StoreFault?.some(.losing(Self.name(of: action), from: origin, at: bound, label: ""))
            }
        if let fault { environment.report(fault) }
        return fault
    }

    /// The name of the case; for an action that is no enumeration, that of its type. The values of an action may be secret.
    private static func name(of action: Action) -> String {
        let mirror = Mirror(reflecting: action)
        guard mirror.displayStyle == .enum else { return "\(Action.self)" }
        return mirror.children.first.map { $0.label ?? "\(Action.self)" } ?? "\(action)"
    }
}

extension StoreFault {
    /// The fault of an action of this type that is lost at a bound.
    package static func losing(_ type: String, from origin: Origin, at bound: ActionLoss, label: String) -> StoreFault {
        bound == .stateTooLarge
            ? .stateTooLarge(origin, type: type, label: label)
            : .actionLost(bound, origin, type: type, label: label)
    }
}

extension PendingWork {
    /// Has the timer wait whose action was refused.
    ///
    /// - Returns: whether it is refused for the first time; nil if the run was no timer.
    func keepTimer(_ runID: Int) -> Bool? {
        for place in timers.indices {
            if let isFirst = timers[place].refuse(runID) { return isFirst }
        }
        return nil
    }
}
