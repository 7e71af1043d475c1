import Storehouse
import StoresTesting
import Testing

@testable import cinema

/// Tests of the store alone. The test moves the clock, and answers for the bank.
@Suite struct CinemaTests {
    private let teller = ScriptedRemoteClient()
    private let store: TestStore<Hall, StoreAction<Hall>>

    init() {
        let clock = TestClock()
        let hall = cinema()
        store = TestStore(
            Hall(), reducer: hall.reducer, middleware: hall.middleware(RemoteClients(["bank": teller])), clock: clock)
    }

    private var ada: TestStore<Hall, StoreAction<Hall>>.Acting { store.as(.user("Ada")) }
    private var bob: TestStore<Hall, StoreAction<Hall>>.Acting { store.as(.user("Bob")) }

    private func beginPayment() throws {
        try ada.dispatch(hold(7)) {
            $0.seats.insert(Seat(id: 7, guest: "Ada", cents: 900, at: 60_000))
        }
        try ada.dispatch(pay(7)) {
            $0.seats.update(7) { ($0.status, $0.at) = (.paying, nil) }
        }
        try store.receive(payment.try(for: (Filled("Ada"), 7), since: 2))
    }

    @Test func aHoldEndsAfterAMinute() throws {
        try store.dispatch(setPrice("front", 700)) { $0.prices["front"] = 700 }
        try ada.dispatch(hold(7)) {
            $0.seats.insert(Seat(id: 7, guest: "Ada", cents: 700, at: 60_000))
        }
        try bob.expectRejected(hold(7), "taken")
        try bob.expectRejected(pay(7), "not-held")
        try bob.expectRejected(cancel(7), "not-held")
        try store.advance(by: .seconds(60))
        try store.receive(expire(7)) { $0.seats.remove(7) }
        try ada.expectRejected(pay(7), "not-held")
        try store.finish()
    }

    @Test func aLateBankChargesOnce() throws {
        try beginPayment()
        teller.reply(.failure(.timeout("late")))
        try store.receive(payment.postponement(.timeout("late"), for: (Filled("Ada"), 7), until: 1000))
        try ada.expectRejected(cancel(7), "not-held")
        try store.advance(by: .seconds(1))
        try store.receive(payment.try(2, for: (Filled("Ada"), 7), since: 2, at: 1000))
        teller.reply(#"{"receipt":"R1"}"#)
        try store.receive(payment.arrival(of: "R1", for: (Filled("Ada"), 7), at: 1000)) {
            $0.seats.update(7) { ($0.status, $0.at, $0.receipt) = (.sold, 1000, "R1") }
        }
        #expect(Set(teller.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        try store.finish()
    }

    @Test(arguments: [(402, #"{"reason":"no-funds"}"#, "no-funds"), (402, "", "declined"), (500, "", "bank-failed")])
    func aRefusalFreesTheSeat(_ status: Int, _ body: String, _ reason: String) throws {
        try beginPayment()
        teller.reply(status: status, body)
        try store.receive(payment.failure(RemoteFailure(.init(status: status, body: body)), for: (Filled("Ada"), 7))) {
            $0.seats.remove(7)
            $0.refusals = [Refusal(seat: 7, guest: "Ada", reason: reason)]
        }
        try store.finish()
    }

    @Test func nobodyElseGetsASeatThatMayBePaid() throws {
        try beginPayment()
        teller.reply(status: 200, "what?")
        try store.receive(payment.failure(.badBody("the answer is not JSON"), for: (Filled("Ada"), 7))) {
            $0.seats.update(7) { $0.status = .unclear }
            $0.refusals = [Refusal(seat: 7, guest: "Ada", reason: "unclear")]
        }
        try bob.expectRejected(hold(7), "taken")
    }

    @Test func aStateOfVersion1IsMigrated() throws {
        let hall = try cinema().restored(from: ["sold": ["7": "Ada"]])
        #expect(hall.seats[7]?.guest == "Ada")
        #expect(hall.prices == ["front": 900, "back": 1200])
    }
}
