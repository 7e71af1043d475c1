import Sessions
import StorehouseServer
import Testing

/// The streams that may subscribe to a session, and what of its store is observed for them.
@Suite struct EventHubStateTests {
    private typealias Observation = EventHubState.Observation
    private static let nothing = Observation(commits: false, effects: false)

    @Test func commitsAreObservedWhileThereAreSubscribers() {
        var state = EventHubState()
        #expect(
            state.subscribe(showsEffects: false, limit: 9)
                == .accepted(starts: Observation(commits: true, effects: false)))
        #expect(state.subscribe(showsEffects: false, limit: 9) == .accepted(starts: Self.nothing))
        #expect(state.subscriberCount == 2)
        for _ in 0..<2 { #expect(state.unsubscribe(showsEffects: false) == false) }
        #expect(state.subscriberCount == 0)
    }

    @Test func theNodesOfSubscribersAreKnown() {
        var state = EventHubState()
        #expect(state.areAll(from: 1), "there are none")
        for node in [1, 1, 2, 0] as [UInt16] { _ = state.subscribe(showsEffects: false, limit: 9, from: node) }
        #expect(!state.areAll(from: 1))
        for node in [0, 2] as [UInt16] {
            #expect(!state.areAll(from: 1))
            _ = state.unsubscribe(showsEffects: false, from: node)
        }
        #expect(state.areAll(from: 1) && !state.areAll(from: 2) && !state.areAll(from: 0))
        for _ in 0..<2 { _ = state.unsubscribe(showsEffects: false, from: 1) }
        #expect(state.areAll(from: 2))
    }

    @Test func effectsAreObservedOnlyForThoseWhoAsk() {
        var state = EventHubState()
        _ = state.subscribe(showsEffects: false, limit: 9)
        #expect(
            state.subscribe(showsEffects: true, limit: 9)
                == .accepted(starts: Observation(commits: false, effects: true)))
        #expect(state.subscribe(showsEffects: true, limit: 9) == .accepted(starts: Self.nothing))
        #expect(state.unsubscribe(showsEffects: true) == false)
        #expect(state.unsubscribe(showsEffects: true) == true)
        #expect(state.unsubscribe(showsEffects: false) == false)
    }

    @Test func theLimitHoldsForTheSubscribersOfTheMoment() {
        var state = EventHubState()
        for _ in 0..<2 { _ = state.subscribe(showsEffects: false, limit: 2) }
        #expect(state.subscribe(showsEffects: false, limit: 2) == .refused(.full))
        #expect(state.subscriberCount == 2)
        _ = state.unsubscribe(showsEffects: false)
        #expect(state.subscribe(showsEffects: false, limit: 2, exceedsViews: true) == .refused(.tooManyViews))
        #expect(state.subscribe(showsEffects: false, limit: 2) == .accepted(starts: Self.nothing))
    }

    @Test func nobodySubscribesToASessionThatIsOver() {
        var ended = EventHubState()
        ended.end()
        ended.detach()
        #expect(ended.subscribe(showsEffects: false, limit: 9) == .refused(.sessionEnded))
        var detached = EventHubState()
        detached.detach()
        #expect(detached.subscribe(showsEffects: false, limit: 9) == .refused(.sessionDetached))
        detached.end()
        #expect(detached.subscribe(showsEffects: false, limit: 9) == .refused(.sessionEnded))
    }
}

/// The first events of a subscriber.
@Suite struct InitialContentTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let seen: String?
        let format: StreamFormat
        let expected: InitialContent

        var testDescription: String { "\(seen ?? "-") \(format)" }
    }

    /// The session is at revision 7; the selected value changed last at 5.
    private static let rows = [
        Row(seen: nil, format: .state, expected: .state),
        Row(seen: nil, format: .patch, expected: .state),
        Row(seen: "other-7", format: .patch, expected: .state),
        Row(seen: "h-8", format: .patch, expected: .state),
        Row(seen: "h-7", format: .state, expected: .nothing),
        Row(seen: "h-5", format: .patch, expected: .nothing),
        Row(seen: "h-4", format: .patch, expected: .patches(after: 4)),
        Row(seen: "h-4", format: .state, expected: .state),
        Row(seen: "h-4", format: .text(inColor: false), expected: .state),
        Row(seen: "h--1", format: .patch, expected: .state),
    ]

    @Test(arguments: rows) func dependsOnTheLastEventSeen(_ row: Row) {
        let content = InitialContent(
            seen: row.seen.flatMap(EventID.init), historyID: "h", revision: 7, lastChangedRevision: 5,
            format: row.format)
        #expect(content == row.expected)
    }
}
