/// The rules that the simulated service follows; each mutant breaks one, and the simulation has to find that.
package struct Rules: Sendable {
    var appendChecksEpoch = true
    var appendChecksRevision = true
    var claimChecksLease = true
    var waitsForReplica = true
    var leaseUsesWallClock = false
    var leaseHasMargin = true
    var leaseBeginsAtRequest = true
    var answersNeedLease = true
    var forwardedRequestsAreMarked = true
    var repeatsAnyWrite = false
    var drainGivesBack = true
    var unansweredCommitIsUnknown = true
    var refusalIsForgotten = true
    var claimInterruptsEffects = true
    var keysAreStored = true
    var timersAreLookedFor = true
    var releaseWaitsForCommits = true
    var releaseChecksEpoch = true
    var releasedSessionsAreDropped = true

    /// No mistake.
    package init() {}
}

/// A deliberate mistake.
package enum Mutant: String, CaseIterable, Sendable {
    case epochIsNotChecked, revisionIsNotChecked, leaseOfOwnerIsNotChecked, claimIsNotReplicated, wallClock, noMargin,
        leaseBeginsAtAnswer, leaseIsNotChecked, forwardLoop, repeatedWrite, drainKeepsSessions, unknownIsRefused,
        refusalIsRemembered, effectsAreForgotten, keysAreForgotten, timersAreForgotten,
        commitIsReleased, releaseIsNotChecked, releasedSessionIsUsed

    package var rules: Rules {
        var rules = Rules()
        switch self {
        case .epochIsNotChecked: rules.appendChecksEpoch = false
        case .revisionIsNotChecked: (rules.appendChecksEpoch, rules.appendChecksRevision) = (false, false)
        case .leaseOfOwnerIsNotChecked: rules.claimChecksLease = false
        case .claimIsNotReplicated: rules.waitsForReplica = false
        case .wallClock: rules.leaseUsesWallClock = true
        case .noMargin: rules.leaseHasMargin = false
        case .leaseBeginsAtAnswer: rules.leaseBeginsAtRequest = false
        case .leaseIsNotChecked: rules.answersNeedLease = false
        case .forwardLoop: rules.forwardedRequestsAreMarked = false
        case .repeatedWrite: rules.repeatsAnyWrite = true
        case .drainKeepsSessions: rules.drainGivesBack = false
        case .unknownIsRefused: rules.unansweredCommitIsUnknown = false
        case .refusalIsRemembered: rules.refusalIsForgotten = false
        case .effectsAreForgotten: rules.claimInterruptsEffects = false
        case .keysAreForgotten: rules.keysAreStored = false
        case .timersAreForgotten: rules.timersAreLookedFor = false
        case .commitIsReleased: rules.releaseWaitsForCommits = false
        case .releaseIsNotChecked: rules.releaseChecksEpoch = false
        case .releasedSessionIsUsed: rules.releasedSessionsAreDropped = false
        }
        return rules
    }
}
