import JSON
import Locks
import StoreHosting
import Stores
import Testing

private struct Chat: Sendable, Equatable {
    var people: [ActorID: String] = [:]
    var crowd = 0
    var topic = ""
}

private let join = Action<Chat, Filled<Actor>>("join", "Comes in.", .actor("who")) { chat, who in
    chat.people[who.id] = who.name ?? "somebody"
}

private let crowd = Action("crowd", "Lets a crowd in.", .integer("count", 0...1_000_000)) { (chat: inout Chat, count) in
    chat.crowd = count
}

private let talk = Action("talk", "Names the topic.", .text("topic", 0...80, example: "Tea")) {
    (chat: inout Chat, topic) in
    chat.topic = topic
}

private let chat = StoreDefinition("chat", "A chat.", Chat()) {
    Member("people", \.people)
    Member("topic", \.topic)
    join
    talk
    Members { chat in chat.people.keys }
}

private let arena = StoreDefinition("arena", "A chat with a crowd.", Chat()) {
    Member("people", \.people)
    Member("crowd", \.crowd)
    join
    crowd
    Members { chat in chat.people.keys.map(\.text) + (0..<chat.crowd).map { "extra-\($0)" } }
}

@Suite("The members that a definition names")
struct MembersTests {
    /// Keeps the transactions of a store.
    private final class Recorder: CommitRecorder {
        // Guards the transactions. Nothing is called while it is held.
        let transactions = Locked<[CommitTransaction]>([])

        func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
            transactions.withLock { $0.append(transaction) }
        }

        func isDurable(through revision: Int) -> Bool { true }

        func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) { waiter.waitEnded(with: nil) }

        var changes: [MemberChange?] { transactions.withLock { $0.map(\.members) } }
    }

    private static func members(of store: HostedStore) -> Set<ActorID>? {
        var found: [ActorID]?
        store.inspect { found = $0.members }
        return found.map(Set.init)
    }

    private static func send(_ body: JSONValue, to store: HostedStore, as actor: Actor? = nil) -> DispatchResult? {
        var options = DispatchOptions()
        options.actor = actor
        let result = Locked<DispatchResult?>(nil)
        store.dispatch(body, options) { answer in result.withLock { $0 = answer } }
        return result.withLock(\.self)
    }

    @Test("change with the commit, whose transaction tells how")
    func changes() throws {
        let recorder = Recorder()
        let store = chat.kind.makeStore(recorder: recorder)
        #expect(chat.kind.hasMembers && chat.kind.initialMembers == [])
        for name in ["ada", "ada", "caf\u{e9}", "cafe\u{301}"] {
            _ = Self.send(["type": "chat/join"], to: store, as: .user(ActorID(name)))
        }
        _ = Self.send(["type": "chat/talk", "payload": ["topic": "Tea"]], to: store)
        // An anonymous sender has no id, and is no member.
        _ = Self.send(["type": "chat/join"], to: store)
        #expect(recorder.changes.map { $0?.added } == [["ada"], nil, ["caf\u{e9}"], ["cafe\u{301}"], nil, nil])
        #expect(recorder.changes.allSatisfy { $0?.removed.isEmpty ?? true })
        #expect(Self.members(of: store) == ["ada", "caf\u{e9}", "cafe\u{301}"])
    }

    @Test("are those of a restored state, and of the commits after it")
    func restored() throws {
        let first = arena.kind.makeStore()
        _ = Self.send(["type": "arena/crowd", "payload": ["count": 3]], to: first)
        let (revision, state) = first.snapshot()
        let recorder = Recorder()
        let store = try arena.kind.makeStore(recorder: recorder, from: state, revision: revision)
        #expect(Self.members(of: store) == ["extra-0", "extra-1", "extra-2"])
        store.resume()
        _ = Self.send(["type": "arena/crowd", "payload": ["count": 1]], to: store)
        let change = try #require(recorder.changes.last ?? nil)
        #expect(Set(change.removed) == ["extra-1", "extra-2"] && change.added.isEmpty)
    }

    @Test("are nil of a kind that names none")
    func none() {
        let plain = StoreDefinition("plain", "Without members.", Chat()) {
            Member("topic", \.topic)
            talk
        }
        let recorder = Recorder()
        let store = plain.kind.makeStore(recorder: recorder)
        _ = Self.send(["type": "plain/talk", "payload": ["topic": "Tea"]], to: store)
        #expect(!plain.kind.hasMembers && Self.members(of: store) == nil)
        #expect(recorder.changes.count == 1 && recorder.changes[0] == nil)
    }

    @Test("are 10 000 at most in each form of store", arguments: [false, true])
    func limit(isAsynchronous: Bool) async throws {
        let definition = StoreDefinition("arena", "A crowd.", Chat(), isAsynchronous: isAsynchronous) {
            Member("crowd", \.crowd)
            crowd
            Members { chat in (0..<chat.crowd).lazy.map { "extra-\($0 % 20_000)".dropFirst() } }
        }
        #expect(definition.kind.problems.isEmpty)
        let store = definition.kind.makeStore()
        func send(_ counts: Int...) async -> DispatchResult {
            let actions = counts.map { ["type": "arena/crowd", "payload": ["count": .integer($0)]] as JSONValue }
            let body = actions.count == 1 ? actions[0] : .array(actions)
            let done = Promise<DispatchResult>()
            store.dispatch(body, DispatchOptions()) { done.fulfill($0) }
            return await done.value()
        }
        #expect(await send(10_001).rejection == "too-many-members")
        #expect(await send(1_000_000).rejection == "too-many-members")
        #expect(await send(10_000).rejection == nil)
        let batch = await send(1, 10_001, 2)
        #expect(batch.rejection == "too-many-members" && batch.index == 1)
        #expect(store.revision == 1 && Self.members(of: store)?.count == 10_000)
        // Each id twice is each member once.
        #expect(await send(20_000).rejection == "too-many-members")
        #expect(await send(9, 9).rejection == nil)
        #expect(store.revision == 3 && Self.members(of: store)?.count == 9)
    }

    @Test("are told apart where ids stand more than once, however many ids there are")
    func repeated() throws {
        let definition = StoreDefinition("arena", "A crowd.", Chat()) {
            Member("crowd", \.crowd)
            crowd
            Members { chat in (0..<chat.crowd).lazy.map { "extra-\($0 % 10_000)" } }
        }
        let store = definition.kind.makeStore()
        for count in [30_000, 30_001, 5] {
            let result = Self.send(["type": "arena/crowd", "payload": ["count": .integer(count)]], to: store)
            #expect(result?.rejection == nil)
            #expect(Self.members(of: store)?.count == min(count, 10_000))
        }
        let more = StoreDefinition("arena", "A crowd.", Chat()) {
            Member("crowd", \.crowd)
            crowd
            Members { chat in (0..<chat.crowd).lazy.map { "extra-\($0 % 12_000)" } }
        }
        let full = try more.kind.makeStore(from: StateSnapshot(json: Array(#"{"crowd":11000}"#.utf8)), revision: 1)
        full.resume()
        for (count, isRefused) in [(11_001, true), (11_000, false), (10_500, false), (10_501, true), (40_000, true)] {
            let result = Self.send(["type": "arena/crowd", "payload": ["count": .integer(count)]], to: full)
            #expect((result?.rejection == "too-many-members") == isRefused, "\(count)")
        }
    }

    @Test("are asked of the state that a change has made: it is made once")
    func once() {
        let calls = Locked(0)
        let definition = StoreDefinition("arena", "A crowd.", Chat()) {
            Member("crowd", \.crowd)
            Action("grow", "Grows.") { (chat: inout Chat) in
                chat.crowd += 1
                calls.withLock { $0 += 1 }
            }
            Members { chat in (0..<chat.crowd).map { "\($0)" } }
        }
        let store = definition.kind.makeStore()
        for _ in 0..<3 { _ = Self.send(["type": "arena/grow"], to: store) }
        #expect(calls.withLock(\.self) == 3 && store.revision == 3)
    }

    @Test(
        "lose no timer whose action would make too many: it is reported, and fires once there is room",
        .timeLimit(.minutes(5)))
    func refusedTimer() async {
        let swell = Action<Chat, Void>("swell", "Lets one more in.") { chat in
            chat.crowd += 1
            chat.topic = ""
        }
        let definition = StoreDefinition("arena", "A crowd.", Chat()) {
            Member("crowd", \.crowd)
            Member("topic", \.topic)
            crowd
            talk
            swell
            Timers("swell") { (chat: Chat) in chat.topic.isEmpty ? [] : [StateTimer("swell", at: 0, swell())] }
            Members { chat in (0..<chat.crowd).lazy.map { "extra-\($0)" } }
        }
        let (fault, hasFired) = (Promise<StoreFault>(), Promise<Void>())
        let store = definition.kind.makeStore(environment: StoreEnvironment(report: { fault.fulfill($0) }))
        let subscription = store.watch { if $0.revision == 4 { hasFired.fulfill(()) } }
        _ = Self.send(["type": "arena/crowd", "payload": ["count": 10_000]], to: store)
        _ = Self.send(["type": "arena/talk", "payload": ["topic": "Tea"]], to: store)
        #expect(await fault.value() == .actionLost(.tooManyMembers, .effect, type: "arena/swell", label: ""))
        #expect(store.revision == 2)
        _ = Self.send(["type": "arena/crowd", "payload": ["count": 5]], to: store)
        await hasFired.value()
        #expect(Self.members(of: store)?.count == 6)
        subscription.cancel()
        store.end()
    }

    @Test("are asked of each state once, and of one that is not committed too", arguments: [false, true])
    func askedOnce(isAsynchronous: Bool) async throws {
        let calls = Locked(0)
        let definition = StoreDefinition("arena", "A crowd.", Chat(), isAsynchronous: isAsynchronous) {
            Member("crowd", \.crowd)
            Member("topic", \.topic)
            crowd
            talk
            Members { chat in
                calls.withLock { $0 += 1 }
                return (0..<chat.crowd).map { "extra-\($0)" }
            }
        }
        let recorder = Recorder()
        let store = definition.kind.makeStore(recorder: recorder)
        #expect(calls.withLock(\.self) == 1 && Self.members(of: store) == [])
        func send(_ body: JSONValue, isDryRun: Bool = false) async -> DispatchResult {
            var options = DispatchOptions()
            options.isDryRun = isDryRun
            let done = Promise<DispatchResult>()
            store.dispatch(body, options) { done.fulfill($0) }
            return await done.value()
        }
        let grow: JSONValue = ["type": "arena/crowd", "payload": ["count": 2]]
        let rename: JSONValue = ["type": "arena/talk", "payload": ["topic": "Tea"]]
        // What a dry run or a refused batch proposes is nobody's.
        _ = await send(grow, isDryRun: true)
        let refused = await send([grow, ["type": "arena/crowd", "payload": ["count": 10_001]]])
        #expect(refused.rejection == "too-many-members" && calls.withLock(\.self) == 4)
        #expect(Self.members(of: store) == [])
        _ = await send(rename)
        _ = await send([grow, rename])
        #expect(calls.withLock(\.self) == 7 && recorder.changes.map { $0?.added.count } == [nil, 2])
        #expect(Self.members(of: store) == ["extra-0", "extra-1"])
        let restored = try definition.kind.makeStore(from: store.snapshot().state, revision: store.revision)
        #expect(Self.members(of: restored)?.count == 2 && calls.withLock(\.self) == 8)
    }

    @Test("stand in a definition once, and not in a part")
    func problems() {
        let twice = StoreDefinition("twice", "Twice.", Chat()) {
            Member("topic", \.topic)
            talk
            Members { chat in chat.people.keys }
            Members { _ in [String]() }
        }
        #expect(twice.kind.problems == ["The definition has more than one Members."])
        let part = StoreDefinition("part", "In a part.", Building()) {
            Part("chat", \.chat) {
                Member("topic", \.topic)
                talk
                Members { chat in chat.people.keys }
            }
        }
        #expect(part.kind.problems == ["Members is an element of the definition, not of a Part."])
        #expect(!part.kind.hasMembers)
        let full = StoreDefinition("full", "Full.", Chat(crowd: 10_001)) {
            Member("crowd", \.crowd)
            crowd
            Members { chat in (0..<chat.crowd).map { "\($0)" } }
        }
        #expect(full.kind.problems == ["The initial state has more than 10000 members."])
    }

    private struct Building: Sendable, Equatable {
        var chat = Chat()
    }
}

extension DispatchResult {
    fileprivate var index: Int? {
        if case .rejected(_, let index) = outcome { index } else { nil }
    }

    fileprivate var rejection: String? {
        if case .rejected(let rejection, _) = outcome { rejection.reason } else { nil }
    }
}
