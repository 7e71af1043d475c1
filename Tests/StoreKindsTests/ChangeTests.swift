import JSON
import Locks
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

/// The changes in commits: each patch makes the next state of the one before.
@Suite struct ChangeTests {
    /// Follows a store by its patches alone, and compares.
    private final class Follower: CommitRecorder {
        struct Contents {
            var state: JSONValue
            var operations = 0
            var faults: [String] = []
        }

        // Guards the state as it was made of patches. Taken inside the store's lock.
        let contents: Locked<Contents>

        init(_ initial: JSONValue) { contents = Locked(Contents(state: initial)) }

        func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
            let now = try? JSONValue(parsing: state.encoded(.root))
            contents.withLock { contents in
                for commit in transaction.commits { apply(commit, &contents) }
                if contents.state != now { contents.faults.append("after \(transaction.lastRevision)") }
                for pointer in Self.pointers {
                    let value = now.flatMap { pointer.value(in: $0) } ?? .null
                    if state.encoded(.pointer(pointer)) != value.encoded() {
                        contents.faults.append("the value at \(pointer)")
                    }
                }
            }
        }

        func isDurable(through revision: Int) -> Bool { true }

        func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) { waiter.waitEnded(with: nil) }

        private func apply(_ commit: CommitRecord, _ contents: inout Contents) {
            let before = contents.state
            contents.state = commit.changes.applied(to: before) ?? .null
            contents.operations += commit.changes.operations.count
            if commit.changes.isEmpty != (contents.state == before) { contents.faults.append("idle \(commit.type)") }
            for pointer in Self.pointers { compare(pointer, before, commit.changes, &contents) }
        }

        /// A client that follows only a part must arrive at the same value.
        private func compare(
            _ pointer: JSONPointer, _ before: JSONValue, _ changes: EncodedPatch, _ contents: inout Contents
        ) {
            let (old, new) = (pointer.value(in: before) ?? .null, pointer.value(in: contents.state) ?? .null)
            let isRight =
                switch changes.projected(to: pointer) {
                case .unchanged: old == new
                case .patch(let patch): patch.applied(to: old) == new
                case .value(let value): value == new.encoded()
                case .needsValue: true
                }
            if !isRight { contents.faults.append("\(pointer): \(changes)") }
        }

        private static let pointers = [
            "/counter", "/counter/count", "/tasks", "/tasks/entities", "/tasks/entities/3", "/tasks/entities/3/title",
            "/tasks/entities/03", "/tasks/entities/x", "/tasks/ids/-", "/counter/count/0", "/counter/nothing",
            "/tasks/ids", "/tasks/ids/0", "/tasks/ids/3", "/tasks/favorited", "/betslip/selections",
            "/betslip/selections/0", "/betslip/selections/1/stake", "/login/error", "/form", "/nothing", "/animal",
        ].compactMap { try? JSONPointer($0) }
    }

    @Test(arguments: ["app", "login", "login-form", "animal", "betting", "planner"], 1...3 as ClosedRange<UInt64>)
    func patchesMakeEachStateOfTheOneBefore(_ name: String, _ seed: UInt64) async throws {
        let client = ScriptedRemoteClient()
        let kind = try #require(StoreKind.scripted(client).first { $0.name == name })
        let follower = Follower(try JSONValue(parsing: kind.initialState))
        let store = kind.makeStore(recorder: follower)
        var random = RandomActions(seed: seed)
        let types = kind.actions.filter { $0.audience == .client }.map(\.type)
        for _ in 1...200 {
            var actions = [random.next(of: types)]
            while random.isOnce(in: 4) { actions.append(random.next(of: types)) }
            let body = actions.count == 1 ? actions[0] : .array(actions)
            _ = await store.dispatch(body)
            if random.isOnce(in: 20) { client.reply(status: random.isOnce(in: 2) ? 200 : 401, #"{"animal":"Cat"}"#) }
        }
        // No effect commits between the two readings.
        store.end()
        let contents = follower.contents.withLock { $0 }
        #expect(contents.faults == [])
        #expect(contents.operations > 0)
        #expect(try JSONValue(parsing: store.json) == contents.state)
    }

    @Test(
        arguments: [
            ("tasks/edit", ["id": 500, "isDone": true], ["replace /tasks/entities/500", "replace /trends/completed"]),
            ("tasks/edit", ["id": 500, "title": "task"], []),
            ("tasks/move", ["id": 500, "index": 2], ["move /tasks/ids/2"]),
            (
                "tasks/remove", ["id": 1],
                ["remove /tasks/entities/1", "remove /tasks/ids/0", "replace /trends/removed"]
            ),
            (
                "tasks/add", ["title": "new"],
                ["add /tasks/entities/1001", "add /tasks/ids/1000", "replace /trends/added"]
            ),
            ("tasks/favorite", ["id": 7], ["add /tasks/favorited/0"]),
            ("counter/increment", [:], ["replace /counter/count"]),
            ("calendar/selectDay", ["day": "2026-11-22"], ["replace /calendar/selectedDay"]),
        ] as [(String, JSONObject, [String])])
    func aChangeIsSmallWhateverTheSizeOfTheState(
        _ type: String, _ payload: JSONObject, _ expected: [String]
    ) async throws {
        let kind = try #require(StoreKind.scripted(ScriptedRemoteClient()).first { $0.name == "app" })
        let store = kind.makeStore()
        let add: JSONValue = ["type": "tasks/add", "payload": ["title": "task"]]
        for _ in 1...10 { _ = await store.dispatch(.array(Array(repeating: add, count: 100))) }
        _ = await store.dispatch(["type": .string(type), "payload": .object(payload)])
        var seen: [String] = []
        store.inspect { view in
            seen = view.commits.flatMap(\.changes.operations).map { "\($0.kind.rawValue) \($0.path)" }
        }
        #expect(seen == expected)
    }
}
