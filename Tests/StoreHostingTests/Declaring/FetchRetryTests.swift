import JSON
import RemoteServices
import StoreHosting
import Stores
import StoresTesting
import Testing

private typealias Till = Bank.Till
private let once = Bank.once
private let till = Bank.till
private let shop = Bank.shop

@Suite struct FetchRetryTests {
    private let bank = ScriptedRemoteClient()

    private func store() -> TestStore<Till, StoreAction<Till>> {
        TestStore(Till(), reducer: till.reducer, middleware: till.middleware(RemoteClients(["bank": bank])))
    }

    private var keys: [String] { bank.requests.map { $0.headers["Idempotency-Key"] ?? "none" } }

    private static let broken = RemoteFailure.unreachable("no connection")

    private func pay(_ cents: Int, _ store: TestStore<Till, StoreAction<Till>>) throws {
        try store.dispatch(Till.pay(cents)) { $0.isPaying = true }
    }

    @Test func theDefinitionIsValid() {
        #expect(till.kind.problems == [])
        #expect(shop.kind.problems == [])
        #expect(
            till.kind.actions.map(\.type).filter { $0.contains("payment") } == [
                "till/payment", "till/payment-failed", "till/payment-try", "till/payment-postponed",
            ])
    }

    @Test func aCallWithoutAnAnswerIsRepeatedWithItsKey() throws {
        let store = store()
        try pay(500, store)
        try store.receive(Till.payment.try(for: 500, since: 1))
        bank.reply(.failure(Self.broken))
        try store.receive(Till.payment.postponement(Self.broken, for: 500, until: 2000))
        try store.advance(by: .seconds(2))
        try store.receive(Till.payment.try(2, for: 500, since: 1, at: 2000))
        bank.reply(status: 503, "")
        try store.receive(Till.payment.postponement(.serverError(.init(status: 503)), for: 500, until: 5000))
        try store.advance(by: .seconds(3))
        try store.receive(Till.payment.try(3, for: 500, since: 1, at: 5000))
        bank.reply(#"{"receipt":"R1"}"#)
        try store.receive(Till.payment.arrival(of: "R1", for: 500, at: 5000)) {
            $0.isPaying = false
            $0.receipt = "R1"
            $0.endedAt = 5000
        }
        #expect(bank.requests.count == 3)
        #expect(Set(bank.requests.map(\.debugDescription)).count == 1)
        #expect(Set(keys).count == 1)
        #expect(bank.requests.allSatisfy { $0.isIdempotent == true })
        #expect(store.state.calls.isEmpty)
        try store.finish()
    }

    @Test func aKeyIsAQuotedHash() throws {
        let store = store()
        try pay(500, store)
        try store.receive(Till.payment.try(for: 500, since: 1))
        let key = try #require(keys.first)
        #expect(key.count == 34 && key.hasPrefix("\"") && key.hasSuffix("\""))
        #expect(key.dropFirst().dropLast().allSatisfy { $0.isHexDigit })
        store.end()
    }

    @Test func theNextActionHasAnotherKey() throws {
        let store = store()
        for (revision, receipt) in [(1, "R1"), (4, "R2")] {
            try pay(500, store)
            try store.receive(Till.payment.try(for: 500, since: revision))
            bank.reply(#"{"receipt":"\#(receipt)"}"#)
            try store.receive(Till.payment.arrival(of: receipt, for: 500)) {
                $0.isPaying = false
                $0.receipt = receipt
                $0.endedAt = 0
            }
        }
        #expect(Set(keys).count == 2)
        try store.finish()
    }

    @Test func aDeclineEndsTheCall() throws {
        let store = store()
        try pay(500, store)
        try store.receive(Till.payment.try(for: 500, since: 1))
        bank.reply(status: 402, #"{"reason":"no-funds"}"#)
        let declined = RemoteFailure.declined(.init(status: 402, body: #"{"reason":"no-funds"}"#))
        try store.receive(Till.payment.failure(declined, for: 500)) {
            $0.isPaying = false
            $0.reason = "no-funds"
            $0.endedAt = 0
        }
        #expect(bank.requests.count == 1)
        try store.finish()
    }

    @Test func theLastTryEndsTheCall() throws {
        let store = store()
        try pay(500, store)
        for (number, time) in [(1, 0), (2, 2000), (3, 5000)] {
            try store.receive(Till.payment.try(number, for: 500, since: 1, at: time))
            bank.reply(.failure(.timeout("late")))
            guard number < 3 else { break }
            let next = number == 1 ? 2000 : 5000
            try store.receive(Till.payment.postponement(.timeout("late"), for: 500, until: next))
            try store.advance(to: next)
        }
        try store.receive(Till.payment.failure(.timeout("late"), for: 500, at: 5000)) {
            $0.isPaying = false
            $0.reason = "timeout"
            $0.endedAt = 5000
        }
        #expect(bank.requests.count == 3)
        try store.finish()
    }

    @Test func aSlowCallIsNotRepeatedBesideItself() throws {
        let store = store()
        try pay(500, store)
        try store.receive(Till.payment.try(for: 500, since: 1))
        // The timers that wake a session after a restart.
        for time in [60_000, 120_000, 180_000, 240_000] {
            try store.advance(to: time)
            try store.receive(Till.payment.try(for: 500, since: 1, at: time))
        }
        #expect(bank.requests.count == 1)
        #expect(bank.cancellations == 0)
        bank.reply(#"{"receipt":"R1"}"#)
        try store.receive(Till.payment.arrival(of: "R1", for: 500, at: 240_000)) {
            $0.isPaying = false
            $0.receipt = "R1"
            $0.endedAt = 240_000
        }
        try store.finish()
    }

    /// The service may have acted, and does not know keys.
    @Test(arguments: [RemoteFailure.timeout("late"), .unreachable("cut"), .serverError(.init(status: 503))])
    func aRequestThatMustNotBeRepeatedIsSentOnce(_ failure: RemoteFailure) throws {
        let store = TestStore(
            Till(), reducer: once.reducer, middleware: once.middleware(RemoteClients(["bank": bank])))
        try pay(500, store)
        try store.receive(Till.onlyPayment.try(for: 500, since: 1))
        bank.reply(.failure(failure))
        try store.receive(Till.onlyPayment.failure(failure, for: 500)) {
            $0.isPaying = false
            $0.reason = failure.code.rawValue
        }
        #expect(bank.requests.count == 1)
        try store.finish()
    }

    @Test func aRequestThatWasNotSentIsSentLater() throws {
        let store = TestStore(
            Till(), reducer: once.reducer, middleware: once.middleware(RemoteClients(["bank": bank])))
        try pay(500, store)
        try store.receive(Till.onlyPayment.try(for: 500, since: 1))
        bank.reply(.failure(.refusedByBreaker("open")))
        try store.receive(Till.onlyPayment.postponement(.refusedByBreaker("open"), for: 500, until: 2000))
        try store.advance(by: .seconds(2))
        try store.receive(Till.onlyPayment.try(2, for: 500, since: 1, at: 2000))
        store.end()
    }

    @Test func aStateThatForgetsItsCallsRepeatsNone() throws {
        let store = store()
        try pay(500, store)
        try store.receive(Till.payment.try(for: 500, since: 1))
        try store.dispatch(Till.close()) { $0 = Till() }
        bank.reply(.failure(Self.broken))
        try store.receive(Till.payment.postponement(Self.broken, for: 500, until: 2000), .ignored)
        try store.advance(by: .seconds(600))
        #expect(bank.requests.count == 1)
        store.end()
    }
}
