import Foundation
import JSON
import Storehouse
import StorehouseTesting
import StoresTesting
import Testing

private struct Auction: Equatable {
    var seller: ActorID?
    var item = ""
    /// The highest bid, and before the first one the least that the seller takes.
    var cents = 0
    var bidder: ActorID?
    var endsAt: Int?
    var soldAt: Int?
}

private let start = Action<Auction, (Filled<ActorID>, Filled<Int>, String, Int)>(
    "start", "Offers an item for an hour.", .user("seller"), .now("moment"), .text("item", 1...80, example: "Vase"),
    .integer("cents", 1...1_000_000),
    rules: .reject("started-already") { auction, _, _, _, _ in auction.seller != nil }
) { auction, seller, moment, item, cents in
    auction = Auction(seller: seller, item: item, cents: cents, endsAt: moment + 3_600_000)
}

private let bid = Action<Auction, (Filled<ActorID>, Filled<Int>, Int)>(
    "bid", "Bids more than all others.", .user("bidder"), .now("moment"), .integer("cents", 1...1_000_000),
    rules: .reject("not-open") { auction, _, moment, _ in moment >= auction.endsAt ?? 0 },
    .reject("own-item") { auction, bidder, _, _ in bidder == auction.seller },
    .reject("too-low") { auction, _, _, cents in cents < auction.cents + (auction.bidder == nil ? 0 : 1) }
) { auction, bidder, _, cents in (auction.bidder, auction.cents) = (bidder, cents) }

private let close = Action<Auction, Filled<Int>>(
    "close", "Ends the auction.", .now("moment"), audience: .internal
) { auction, moment in (auction.endsAt, auction.soldAt) = (nil, moment) }

private let auction = StoreDefinition("auction", "An item for the highest bid.", Auction()) {
    Member("seller", \.seller)
    Member("item", \.item)
    Member("cents", \.cents)
    Member("bidder", \.bidder)
    Member("endsAt", \.endsAt)
    Member("soldAt", \.soldAt)
    Access { _, _ in [.read, .act] }
    start
    bid
    close
    Timers("close") { (auction: Auction) in
        auction.endsAt.map { [StateTimer("close", at: $0, close())] } ?? []
    }
}

private struct Purchase: Equatable {
    var cents = 1250
    var payer: ActorID?
    var isPaying = false
    var receipt: String?
    var refusals: [ActorID: String] = [:]
}

private let pay = Action<Purchase, (Filled<ActorID>, String)>(
    "pay", "Pays by card.", .user("payer"), .text("card", 12...19, example: "4000000000000002").secret(),
    rules: .reject("paid-already") { purchase, _, _ in purchase.isPaying || purchase.receipt != nil }
) { purchase, payer, _ in (purchase.payer, purchase.isPaying) = (payer, true) }

private let payment = Fetch("payment", on: pay, from: "bank", at: "/receipt", as: String.self) {
    purchase, payer, card in
    .post(["card": .string(card), "payer": .string(payer.text), "cents": .integer(purchase.cents)])
} then: { purchase, payer, _, receipt, _ in
    purchase.isPaying = false
    purchase.receipt = receipt
    purchase.refusals[payer.value] = nil
} failed: { purchase, payer, _, failure, _ in
    purchase.isPaying = false
    // Only known words of the answer: it may repeat the card.
    let isPoor = failure.answer?.json?["reason"] == "no-funds"
    purchase.refusals[payer.value] = isPoor ? "no-funds" : failure.code.rawValue
} waiting: { purchase in
    guard purchase.isPaying, let payer = purchase.payer else { return [] }
    return [(Filled(payer), "")]
}

private func purchase(fee: Int) -> StoreDefinition<Purchase> {
    StoreDefinition("purchase", "Something to pay by card.", Purchase(cents: 1250 + fee)) {
        Member("cents", \.cents)
        Member("payer", \.payer)
        Member("isPaying", \.isPaying)
        Member("receipt", \.receipt)
        Member("refusals", \.refusals)
        Access { _, _ in [.read, .act] }
        pay
        payment
    }
}

private struct WrongVariable: Error, CustomStringConvertible { let description: String }

private struct Market: StorehouseApp {
    private let fee: Int

    init() throws {
        let text = ProcessInfo.processInfo.environment["MARKET_FEE"] ?? "50"
        guard let fee = Int(text) else {
            throw WrongVariable(description: "MARKET_FEE: must be a number of cents, not \"\(text)\"")
        }
        self.fee = fee
    }

    var kinds: [StoreKind] {
        auction
        purchase(fee: fee)
    }
}

/// The examples of the pages about actions, remote calls and users.
@Suite(.timeLimit(.minutes(10))) struct MarketExample {
    private let bank = ScriptedRemoteClient()

    @Test func theHighestBidWins() throws {
        let store = TestStore(
            Auction(), reducer: auction.reducer, middleware: auction.middleware(RemoteClients([:])),
            clock: TestClock(now: 5000))
        try store.as(.user("ada")).dispatch(start("Vase", 500)) {
            $0 = Auction(seller: "ada", item: "Vase", cents: 500, endsAt: 3_605_000)
        }
        try store.as(.user("ada")).expectRejected(bid(500), "own-item")
        try store.as(.user("bob")).expectRejected(bid(499), "too-low")
        try store.as(.user("bob")).dispatch(bid(500)) { $0.bidder = "bob" }
        try store.as(.user("eve")).expectRejected(bid(500), "too-low")
        try store.as(.user("eve")).dispatch(bid(501)) { ($0.bidder, $0.cents) = ("eve", 501) }
        try store.advance(by: .seconds(3600))
        try store.receive(close()) { ($0.endsAt, $0.soldAt) = (nil, 3_605_000) }
        try store.as(.user("bob")).expectRejected(bid(900), "not-open")
        try store.finish()
    }

    @Test func aPaymentIsNotLeftWaiting() throws {
        let store = TestStore(
            Purchase(payer: "ada", isPaying: true), reducer: purchase(fee: 50).reducer,
            middleware: purchase(fee: 50).middleware(RemoteClients(["bank": bank])))
        try store.resume()
        try store.receive(payment.failure(.interrupted("the call was interrupted"), for: (Filled("ada"), ""))) {
            $0.isPaying = false
            $0.refusals = ["ada": "interrupted"]
        }
        try store.finish()
    }

    /// The bank repeats the card in its answers.
    @Test(arguments: [402, 200]) func nobodySeesTheCard(status: Int) async throws {
        let token: JSONValue = ["access": ["mode": "token"]]
        try await TestServer.run(try Market().kinds, upstreams: ["bank": bank], configuration: token) { server in
            let ada = server.as(.user("ada"))
            let session = try await ada.createSession("purchase")
            bank.reply(status: status, #"{"reason":"no-funds","receipt":"R1","card":"4000000000000002"}"#)
            let action: JSONValue = ["type": "purchase/pay", "payload": ["card": "4000000000000002"]]
            let answer = try await ada.dispatch(action, to: session, waitingForEffects: true)
            #expect(try answer.json()["state"]?["isPaying"] == false)
            #expect(try answer.json()["state"]?["refusals"] == (status == 402 ? ["ada": "no-funds"] : [:]))
            #expect(
                bank.requests.first.map { String(decoding: $0.body, as: UTF8.self).contains(#""4000000000000002""#) }
                    == true)
            let log = String(decoding: try await ada.send("GET", session + "/actions").body, as: UTF8.self)
            #expect(log.contains("purchase/payment"))
            #expect(log.contains(status == 402 ? #""body":"***""# : #""value":"***""#))
            #expect(!log.contains("4000000000000002"))
        }
    }

    @Test func theDefinitionsAreRight() throws {
        let kinds = try Market().kinds
        #expect(kinds.map(\.problems) == [[], []])
        #expect(kinds.flatMap(\.silentFetches) == [])
    }
}
