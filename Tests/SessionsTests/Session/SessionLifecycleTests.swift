import Sessions
import Testing

/// The state machine of a session in memory.
@Suite struct SessionLifecycleTests {
    @Test func hibernationDetaches() {
        var lifecycle = SessionLifecycle.resident
        #expect(lifecycle.beginHibernation() == true)
        #expect(lifecycle == .hibernating)
        #expect(lifecycle.continuesElsewhere)
        #expect(lifecycle.detach() == true)
        #expect(lifecycle == .detached)
    }

    @Test func aSessionInUseStaysResident() {
        var lifecycle = SessionLifecycle.resident
        _ = lifecycle.beginHibernation()
        lifecycle.cancelHibernation()
        #expect(lifecycle == .resident)
        #expect(!lifecycle.continuesElsewhere)
    }

    @Test(arguments: [SessionLifecycle.hibernating, .detached, .ended])
    func hibernationBeginsOnce(_ state: SessionLifecycle) {
        var lifecycle = state
        #expect(lifecycle.beginHibernation() == false)
        #expect(lifecycle == state)
    }

    @Test(arguments: [SessionLifecycle.resident, .hibernating])
    func endingIsDoneOnce(_ state: SessionLifecycle) {
        var lifecycle = state
        #expect(lifecycle.end() == .end)
        #expect(lifecycle == .ended)
        #expect(lifecycle.end() == .alreadyEnded)
    }

    /// The journal has the session, and this object does not write to it any more.
    @Test func aDetachedSessionIsEndedWhereItContinues() {
        var lifecycle = SessionLifecycle.detached
        #expect(lifecycle.end() == .lookUpAgain)
        #expect(lifecycle == .detached)
    }

    @Test(arguments: [SessionLifecycle.detached, .ended])
    func onlyOneDetachmentCounts(_ state: SessionLifecycle) {
        var lifecycle = state
        #expect(lifecycle.detach() == false)
        lifecycle.cancelHibernation()
        #expect(lifecycle == state)
    }

    @Test func anEndDuringHibernationIsNotTakenBack() {
        var lifecycle = SessionLifecycle.hibernating
        #expect(lifecycle.end() == .end)
        lifecycle.cancelHibernation()
        #expect(lifecycle.detach() == false)
        #expect(lifecycle == .ended)
    }
}
