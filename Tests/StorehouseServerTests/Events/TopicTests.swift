import JSON
import Locks
import Sessions
import StoreHosting
import StoreKinds
import StorehouseServer
import Stores
import Testing

/// The changes that commits mean to the streams of one subscription.
@Suite struct TopicTests {
    /// The changes that a topic of a new store finds, one for each body that is dispatched: an action or a batch.
    private func changes(
        _ selection: Selection, _ format: StreamFormat, _ bodies: [JSONValue], of kind: StoreKind = Planner.store.kind
    ) -> [(change: Topic.Change?, lastChangedRevision: Int)] {
        let store = kind.makeStore()
        let topic = Locked<Topic?>(nil)
        let found = Locked<[(Topic.Change?, Int)]>([])
        store.inspect { state in
            let first = Topic(StreamSubscription(selection: selection, format: format), state)
            topic.withLock { $0 = first }
        }
        let subscription = store.watch { state in
            let changes = Topic.changes(of: state.commits)
            topic.withLock { topic in
                let change = topic?.update(state, changes)
                found.withLock { $0.append((change, topic?.lastChangedRevision ?? -1)) }
            }
        }
        for body in bodies { store.dispatch(body, DispatchOptions()) { _ in } }
        subscription.cancel()
        return found.withLock { $0 }
    }

    private static let add: JSONValue = ["type": "tasks/add", "payload": ["title": "x"]]
    private static let dark: JSONValue = ["type": "settings/update", "payload": ["theme": "dark"]]
    private static let sameDay: JSONValue = ["type": "calendar/selectDay", "payload": ["day": "2024-01-01"]]

    private func pointer(_ text: String) throws -> Selection { .pointer(try JSONPointer(text)) }

    @Test func aValueIsShownOnceForABatch() {
        let found = changes(.root, .state, [[Self.add, Self.dark], Self.add])
        #expect(found.map(\.change) == [.value, .value])
        #expect(found.map(\.lastChangedRevision) == [2, 3])
    }

    @Test func thePatchesOfABatchBecomeOne() throws {
        let found = changes(.root, .patch, [[Self.add, Self.dark]])
        guard case .patch(let patch)? = found.first?.change else {
            Issue.record("no patch")
            return
        }
        #expect(
            patch.operations.map(\.path) == ["/tasks/entities/1", "/tasks/ids/0", "/trends/added", "/settings/theme"])
    }

    @Test func aCommitThatLeavesTheSelectedValueAloneIsNoChange() throws {
        for format in [StreamFormat.state, .patch, .text(inColor: false)] {
            let found = changes(try pointer("/settings/theme"), format, [Self.add, Self.dark, Self.dark, Self.add])
            #expect(found.map { $0.change != nil } == [false, true, false, false])
            #expect(found.map(\.lastChangedRevision) == [0, 2, 2, 2])
        }
        #expect(changes(.root, .state, [Self.sameDay, Self.sameDay]).map { $0.change != nil } == [true, false])
    }

    @Test func aPatchIsOfTheSelectedValue() throws {
        let found = changes(try pointer("/settings"), .patch, [Self.dark])
        #expect(found.map(\.change) == [.patch(EncodedPatch([.init(.replace, "/theme", Array(#""dark""#.utf8))]))])
    }

    /// The patch of the state says nothing of a selector's value, so its values are compared.
    @Test func aSelectorIsComparedByItsValue() {
        let found = changes(.named("summary"), .patch, [Self.dark, Self.add])
        let patch = EncodedPatch([.init(.replace, "/open", Array("1".utf8))])
        #expect(found.map(\.change) == [nil, .patch(patch)])
        #expect(changes(.named("summary"), .state, [Self.dark, Self.add]).map(\.change) == [nil, .value])
    }

    /// The votes are hidden and the number of ballots is no member, so no patch shows a change of them.
    @Test func aSelectorFollowsWhatClientsDoNotSee() throws {
        let ballot = StoreDefinition("ballot", "A secret ballot.", Ballot()) {
            Member("isOpen", \.isOpen)
            Member("votes", \.votes, .hidden)
            Action("vote", "Votes.", .text("for", 1...9, example: "a")) { ballot, choice in
                ballot.votes.append(choice)
                ballot.count += 1
            }
            Selector("leader", "The first choice with two votes.") { ballot in
                ballot.votes.first { choice in ballot.votes.filter { $0 == choice }.count > 1 }
            }
            Selector("count", "The number of votes.") { $0.count }
        }
        let votes: [JSONValue] = ["a", "b", "b"].map { ["type": "ballot/vote", "payload": ["for": $0]] }
        let found = changes(.named("leader"), .state, votes, of: ballot.kind)
        #expect(found.map(\.change) == [nil, nil, .value])
        #expect(found.map(\.lastChangedRevision) == [0, 0, 3])
        let patch = EncodedPatch([.init(.replace, "", Array(#""b""#.utf8))])
        #expect(changes(.named("leader"), .patch, votes, of: ballot.kind).map(\.change) == [nil, nil, .patch(patch)])
        #expect(changes(.named("count"), .state, votes, of: ballot.kind).map(\.change) == [.value, .value, .value])
        let lines = changes(.named("leader"), .text(inColor: false), votes, of: ballot.kind)
        #expect(lines.map { $0.change != nil } == [false, false, true])
        for selection in [Selection.root, try pointer("/isOpen")] {
            #expect(changes(selection, .state, votes, of: ballot.kind).allSatisfy { $0.change == nil })
        }
    }

    @Test func aTerminalGetsALineForEachChange() throws {
        let found = changes(try pointer("/tasks/ids"), .text(inColor: false), [[Self.add, Self.dark, Self.add]])
        guard case .commits(let lines)? = found.first?.change else {
            Issue.record("no lines")
            return
        }
        let text = String(decoding: lines.plain, as: UTF8.self)
        #expect(
            text.split(separator: "\n").map { $0.drop { $0 != "#" } } == [
                "#1 tasks/add /0: ∅ → 1", "#3 tasks/add /1: ∅ → 2",
            ])
    }
}

private struct Ballot: Sendable {
    var isOpen = true
    var votes: [String] = []
    /// No member.
    var count = 0
}
