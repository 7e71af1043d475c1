import JSON
import RemoteServices
import StoreHosting
import Stores
import StoresTesting
import Testing

private typealias Till = Bank.Till
private typealias Tills = Bank.Tills
private let till = Bank.till
private let shop = Bank.shop

/// Calls of states that continue in another store.
@Suite struct ContinuedCallTests {
    private let bank = ScriptedRemoteClient()
    private let clock = TestClock()

    private func connected(_ definition: StoreDefinition<Till> = till) -> StoreKind {
        definition.kind.connected(to: RemoteClients(["bank": bank]))
    }

    private func begun(_ definition: StoreDefinition<Till> = till, type: String = "till/pay") async -> HostedStore {
        let store = connected(definition).makeStore(environment: StoreEnvironment(clock: clock))
        store.identify(as: "one")
        store.dispatch(.object(["type": .string(type), "payload": ["cents": 500]]), DispatchOptions()) { _ in }
        await bank.called(times: 1)
        return store
    }

    /// The store that the next process makes of the state of one whose process has ended.
    private func next(
        _ store: HostedStore, _ definition: StoreDefinition<Till> = till, as identity: String = "one",
        isCopy: Bool = false
    ) throws -> HostedStore {
        let (revision, snapshot) = store.snapshot()
        store.end()
        let next = try connected(definition).makeStore(
            environment: StoreEnvironment(clock: clock), from: snapshot, revision: revision)
        next.identify(as: identity)
        next.resume(asCopy: isCopy)
        return next
    }

    private var keys: Set<String> { Set(bank.requests.compactMap { $0.headers["Idempotency-Key"] }) }

    @Test(arguments: [(till, "till/pay"), (shop, "till/pay")])
    private func aRestartRepeatsACallThatWasUnderWay(_ definition: StoreDefinition<Till>, _ type: String) async throws {
        let store = try next(await begun(definition, type: type), definition)
        await bank.called(times: 2)
        #expect(keys.count == 1)
        #expect(bank.requests[0] == bank.requests[1])
        let third = try next(store, definition)
        await bank.called(times: 3)
        #expect(keys.count == 1)
        // The third try was the last one.
        let fourth = try next(third, definition)
        while fourth.json.contains(#""isPaying":true"#) { await Task.yield() }
        #expect(bank.requests.count == 3)
    }

    @Test func theStateDoesNotShowTheCalls() async throws {
        let store = await begun()
        #expect(!store.json.contains("calls"))
        let kept = String(decoding: try #require(store.snapshot().state.privateState), as: UTF8.self)
        #expect(kept.contains(#""fetch":"payment""#))
        #expect(!kept.contains("one"))
        store.end()
    }

    @Test func aCallThatWaitsKeepsItsTime() async throws {
        let store = await begun()
        bank.reply(.failure(.unreachable("")))
        while store.revision < 3 { await Task.yield() }
        let continued = try next(store)
        #expect(continued.timerUse.nextDeadline == 2000)
        #expect(bank.requests.count == 1)
        clock.advance(to: 2000)
        await bank.called(times: 2)
        #expect(keys.count == 1)
        continued.end()
    }

    /// The server of the next process wakes the session then, if nobody asks for it.
    @Test(arguments: [nil, 90_000])
    func aSessionIsDueAMinuteAfterATryHasBegun(timeout: Int?) async throws {
        let slow = StoreDefinition("till", "A till.", Till()) {
            Member("calls", \.calls)
            Till.pay
            Fetch(
                "payment", on: Till.pay, from: "bank", as: RemoteResponse.Status.self,
                retry: .upTo(3, every: .seconds(2), in: \.calls)
            ) { _, _ in
                var request = RemoteRequest.post([:])
                request.timeout = timeout.map { .milliseconds($0) }
                return request
            } then: { _, _, _, _ in
            }
        }
        clock.advance(to: 5000)
        let store = await begun(slow)
        #expect(store.timerUse.nextDeadline == 5000 + (timeout ?? 60_000))
        store.end()
    }

    /// A state of a backup comes to the same revisions again.
    @Test func theSameRevisionOfARestoredStateHasAnotherKey() async throws {
        let empty = connected().makeStore(environment: StoreEnvironment(clock: clock))
        let (revision, snapshot) = empty.snapshot()
        for count in 1...2 {
            let store = try connected().makeStore(
                environment: StoreEnvironment(clock: clock), from: snapshot, revision: revision)
            store.identify(as: "one")
            store.dispatch("till/pay", ["cents": 500])
            await bank.called(times: count)
            store.end()
        }
        #expect(keys.count == 2)
    }

    /// A payment that could not be sent, because too many effects run, is sent when one of them has ended.
    @Test func aStoreMakesNoMoreCallsThanItMayHaveEffects() async throws {
        let store = tills(effectLimit: 3)
        for till in ["a", "b", "c"] { #expect(pay(till, store)) }
        #expect(!pay("d", store))
        await bank.called(times: 3)
        for _ in 1...3 { bank.reply("{}") }
        while store.json != #"{"paid":3}"# { await Task.yield() }
        #expect(pay("d", store))
        await bank.called(times: 4)
        store.end()
    }

    @Test func callsOfOneNameInTwoSpellingsAreTwo() async throws {
        let store = tills()
        for till in ["caf\u{e9}", "cafe\u{301}"] { #expect(pay(till, store)) }
        await bank.called(times: 2)
        for _ in 1...2 { bank.reply("{}") }
        while store.json != #"{"paid":2}"# { await Task.yield() }
        let kept = String(decoding: try #require(store.snapshot().state.privateState), as: UTF8.self)
        #expect(!kept.contains("fetch"))
        store.end()
    }

    private func tills(effectLimit: Int = 64) -> HostedStore {
        let definition = StoreDefinition("tills", "Tills.", Tills()) {
            Member("paid", \.paid)
            Member("calls", \.calls)
            Tills.pay
            Tills.payment
        }
        return definition.kind.connected(to: RemoteClients(["bank": bank])).makeStore(
            environment: StoreEnvironment(clock: clock, effectLimit: effectLimit))
    }

    private func pay(_ till: String, _ store: HostedStore) -> Bool {
        store.dispatch("tills/pay", ["till": .string(till)])?.isCommitted == true
    }

    /// A program that calls another service, or whose action has another field, could neither repeat nor end the call.
    @Test func aStateWithCallsThatTheProgramDoesNotKnowDoesNotFit() async throws {
        let store = await begun()
        let (revision, snapshot) = store.snapshot()
        store.end()
        let without = StoreDefinition("till", "A till.", Till()) {
            Member("isPaying", \.isPaying)
            Member("calls", \.calls)
            Till.pay
        }
        let error = #expect(throws: RestorationError.self) {
            _ = try without.kind.makeStore(from: snapshot, revision: revision)
        }
        #expect("\(try #require(error))".contains("/calls must have calls of the fetches of the definition"))
    }

    /// A new program may name the effect of a call in another way.
    @Test func aCallContinuesWhenTheProgramHasAnotherIDForIt() async throws {
        let store = await begun()
        let named = StoreDefinition("till", "A till.", Till()) {
            Member("isPaying", \.isPaying)
            Member("receipt", \.receipt)
            Member("reason", \.reason)
            Member("calls", \.calls)
            Till.pay
            Fetch(
                "payment", on: Till.pay, from: "bank", at: "/receipt", as: String.self, id: { "\($0) cents" },
                retry: .upTo(4, every: .seconds(2), in: \.calls)
            ) { _, cents in
                .post(["cents": .integer(cents)])
            } then: { till, _, receipt, _ in
                till.isPaying = false
                till.receipt = receipt
            } failed: { till, cents, failure, _ in
                till.isPaying = false
                till.reason = "\(cents) \(failure.code)"
            }
        }
        let continued = try next(store, named)
        await bank.called(times: 2)
        #expect(keys.count == 1 && bank.requests[0] == bank.requests[1])
        let copy = try next(continued, named, as: "two", isCopy: true)
        #expect(copy.json == #"{"isPaying":false,"receipt":null,"reason":"500 interrupted"}"#)
        #expect(!pending(copy))
        copy.end()
        let last = try next(continued, named)
        await bank.called(times: 3)
        for _ in 1...3 { bank.reply(#"{"receipt":"R1"}"#) }
        while last.json != #"{"isPaying":false,"receipt":"R1","reason":null}"# { await Task.yield() }
        #expect(keys.count == 1 && !pending(last))
        last.end()
    }

    /// Whether a call waits for an answer.
    private func pending(_ store: HostedStore) -> Bool {
        String(decoding: store.snapshot().state.privateState ?? [], as: UTF8.self).contains("fetch")
    }

    private struct OldTill: Decodable { let isPaying: Bool }

    @Test func aTypedMigrationKeepsTheCallsThatWait() async throws {
        let store = await begun()
        let migrated = StoreDefinition(
            "till", "A till.", Till(), migrations: [.from(OldTill.self) { Till(isPaying: $0.isPaying) }]
        ) {
            Member("isPaying", \.isPaying)
            Member("receipt", \.receipt)
            Member("calls", \.calls)
            Till.payment
            Till.pay
        }
        let continued = try next(store, migrated)
        await bank.called(times: 2)
        #expect(keys.count == 1)
        continued.end()
    }

    @Test func aCopyRepeatsNothing() async throws {
        let copy = try next(await begun(), as: "two", isCopy: true)
        #expect(copy.json == #"{"isPaying":false,"receipt":null,"reason":"interrupted","endedAt":0}"#)
        #expect(bank.requests.count == 1)
        copy.dispatch("till/pay", ["cents": 500])
        await bank.called(times: 2)
        #expect(keys.count == 2)
        copy.end()
    }

    @Test func aStateThatAnotherStoreImportsRepeatsNothing() async throws {
        let copy = try next(await begun(), as: "two")
        #expect(copy.json.contains(#""reason":"interrupted""#))
        #expect(bank.requests.count == 1)
        copy.end()
    }

    /// The answer of the older call stands in the queue when the newer one begins.
    @Test(arguments: [false, true])
    func anOlderAnswerDoesNotEndTheNewerCall(isAsynchronous: Bool) async throws {
        let pay = Action<Till, Int>("pay", "Pays.", .integer("cents", 1...9999)) { till, _ in till.isPaying = true }
        let payment = Fetch(
            "payment", on: pay, from: "bank", at: "/receipt", as: String.self, .latest,
            retry: .upTo(3, every: .seconds(2), in: \.calls)
        ) { _, cents in
            .post(["cents": .integer(cents)])
        } then: { till, _, receipt, _ in
            till.receipt = receipt
        }
        let answers = StoreDefinition("till", "A till.", Till()) {
            pay
            payment
        }.reducer
        let eager = StoreDefinition("till", "A till.", Till(), isAsynchronous: isAsynchronous) {
            Member("isPaying", \.isPaying)
            Member("receipt", \.receipt)
            Member("calls", \.calls)
            pay
            payment
            Action("answered", "As an answer of the older call.") { (till: inout Till) in
                _ = answers.apply(payment.arrival(of: "R1", for: 500), to: &till)
            }
        }
        let store = eager.kind.connected(to: RemoteClients(["bank": bank])).makeStore(
            environment: StoreEnvironment(clock: clock))
        store.dispatch("till/pay", ["cents": 500])
        await bank.called(times: 1)
        let both: JSONValue = [["type": "till/pay", "payload": ["cents": 700]], ["type": "till/answered"]]
        store.dispatch(both, DispatchOptions()) { _ in }
        await bank.called(times: 2)
        #expect(pending(store))
        #expect(store.json == #"{"isPaying":true,"receipt":"R1"}"#)
        for _ in 1...2 { bank.reply(#"{"receipt":"R2"}"#) }
        while store.json != #"{"isPaying":true,"receipt":"R2"}"# { await Task.yield() }
        #expect(!pending(store) && keys.count == 2)
        store.end()
    }

    @Test func sessionsHaveKeysOfTheirOwn() async throws {
        let stores = (0..<2).map { _ in connected().makeStore() }
        for (store, name) in zip(stores, ["one", "two"]) {
            store.identify(as: name)
            store.dispatch("till/pay", ["cents": 500])
        }
        await bank.called(times: 2)
        #expect(keys.count == 2)
        for store in stores { store.end() }
    }

    @Test func storesWithoutANameHaveKeysOfTheirOwn() async throws {
        let stores = (0..<2).map { _ in connected().makeStore() }
        for store in stores { store.dispatch("till/pay", ["cents": 500]) }
        await bank.called(times: 2)
        #expect(keys.count == 2)
        for store in stores { store.end() }
    }

    @Test func mistakesAreFoundAtTheStart() {
        let login = Action<Till, String>("login", "Signs in.", .text("pin", 1...9, example: "1234").secret()) { _, _ in
        }
        let broken = StoreDefinition("broken", "A till.", Till()) {
            login
            Fetch(
                "a", on: login, from: "bank", as: RemoteResponse.Status.self, .parallel,
                retry: .upTo(0, every: .zero, in: \.calls)
            ) { _, pin in
                .post(["pin": .string(pin)])
            } then: { _, _, _, _ in
            }
        }
        #expect(
            broken.kind.problems == [
                "The fetch \"a\" must have at least one try.",
                "The fetch \"a\" must pause for a millisecond at least, and never shorter than at first.",
                "The fetch \"a\" is repeated, so its policy must be latest or leading.",
                "The fetch \"a\" is repeated, so its request is stored, but the action \"login\" has a secret field.",
                "The fetch \"a\" keeps its calls in a property without a Member, so they would not be persisted.",
            ])
    }
}
