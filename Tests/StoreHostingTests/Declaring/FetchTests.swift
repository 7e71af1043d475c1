import JSON
import Locks
import RemoteServices
import StoreHosting
import Stores
import StoresTesting
import Testing

private struct Hall: Sendable, Equatable {
    var quote: String?
    var error: String?
    var isLoading = false
    var isTelling = false
    var prices: [String: Double] = [:]
    var failures: [String] = []
}

private let clear = Action<Hall, Void>("clear", "Clears.") { hall in hall = Hall(isLoading: true) }
private let price = Action<Hall, String>("price", "Asks.", .text("item", 1...20, example: "tea")) { _, _ in }

private let quote = Fetch("quote", on: clear, from: "quotes", at: "/text", as: String.self) { _ in
    .get("/random", headers: ["Accept-Language": "en"])
} then: { hall, text, _ in
    hall.quote = text
    hall.isLoading = false
} failed: { hall, failure, _ in
    hall.error = failure.code.rawValue
    hall.isLoading = false
} isWaiting: {
    $0.isLoading
}

private let priced = Fetch("priced", on: price, from: "prices", at: "/price", as: Double.self, id: \.self) {
    _, item in
    .get("/prices/" + RemoteRequest.percentEncoded(item))
} then: { hall, item, price, _ in
    hall.prices[item] = price
} failed: { hall, item, failure, _ in
    hall.failures.append(item + ": " + failure.code.rawValue)
}

private let notice = Fetch("notice", on: open, from: "webhook", as: RemoteResponse.Status.self) { hall in
    .post(["prices": .integer(hall.prices.count)])
} then: { hall, _, _ in
    hall.isTelling = false
} failed: { hall, failure, _ in
    hall.isTelling = false
    hall.error = failure.code.rawValue
} isWaiting: { hall in
    hall.isTelling
}

private let open = Action<Hall, Void>("open", "Opens.") { hall in hall.isTelling = true }

private let hall = StoreDefinition("hall", "A hall.", Hall()) {
    Member("quote", \.quote)
    Member("error", \.error)
    Member("isLoading", \.isLoading)
    Member("isTelling", \.isTelling)
    Member("prices", \.prices)
    Member("failures", \.failures)
    clear
    price
    quote
    priced
    open
    notice
}

@Suite struct FetchTests {
    private let quotes = ScriptedRemoteClient()
    private let prices = ScriptedRemoteClient()
    private let webhook = ScriptedRemoteClient()

    private func store() -> TestStore<Hall, StoreAction<Hall>> {
        TestStore(
            Hall(), reducer: hall.reducer,
            middleware: hall.middleware(RemoteClients(["quotes": quotes, "prices": prices, "webhook": webhook])))
    }

    @Test func aPostSaysWhetherItMayBeRepeated() {
        #expect(RemoteRequest.post([:]).isIdempotent == nil)
        #expect(RemoteRequest.post([:], isIdempotent: true).isIdempotent == true)
    }

    @Test func theKindNamesItsServices() {
        #expect(hall.kind.services.map(\.name) == ["quotes", "prices", "webhook"])
        #expect(hall.kind.problems == [])
        let types = hall.kind.actions.filter { $0.audience == .internal }.map(\.type)
        #expect(
            types == [
                "hall/quote", "hall/quote-failed", "hall/priced", "hall/priced-failed",
                "hall/notice", "hall/notice-failed",
            ])
    }

    @Test func theAnswerChangesTheState() throws {
        let store = store()
        try store.dispatch(clear()) { $0.isLoading = true }
        #expect(quotes.requests == [.get("/random", headers: ["Accept-Language": "en"])])
        quotes.reply(#"{"text":"Be brief."}"#)
        try store.receive(quote.arrival(of: "Be brief.", for: ())) {
            $0.quote = "Be brief."
            $0.isLoading = false
        }
        try store.finish()
    }

    @Test func aFailureChangesTheState() throws {
        let store = store()
        try store.dispatch(clear()) { $0.isLoading = true }
        quotes.reply(#"{"other":1}"#)
        try store.receive(quote.failure(RemoteFailure(.badBody, "the answer has nothing at /text"), for: ())) {
            $0.error = "bad-body"
            $0.isLoading = false
        }
    }

    @Test func callsForDifferentItemsRunSideBySide() throws {
        let store = store()
        try store.dispatch(price("tea"))
        try store.dispatch(price("rice"))
        #expect(prices.requests == [.get("/prices/tea"), .get("/prices/rice")])
        prices.reply(#"{"price":2.5}"#)
        try store.receive(priced.arrival(of: 2.5, for: "tea")) { $0.prices = ["tea": 2.5] }
        prices.reply(status: 404, "{}")
        try store.receive(priced.failure(.declined(.init(status: 404, body: "{}")), for: "rice")) {
            $0.failures = ["rice: bad-status"]
        }
    }

    @Test func theItemOfACallIsNoPartOfItsName() {
        let events = Locked<[EffectEvent]>([])
        let environment = StoreEnvironment(effects: { event in events.withLock { $0.append(event) } })
        let store = hall.kind.connected(to: RemoteClients(["prices": prices])).makeStore(environment: environment)
        store.dispatch(["type": "hall/price", "payload": ["item": "Ada's tea"]], DispatchOptions()) { result in
            #expect(result.effects == ["priced.Ada's tea"])
        }
        #expect(store.runningEffects == ["priced.Ada's tea"])
        #expect(events.withLock { $0.map(\.effect.name) } == ["priced"])
        #expect(events.withLock { $0.map(\.effect.description) } == ["priced.Ada's tea"])
    }

    @Test func aWebhookNeedsNoBody() throws {
        let store = store()
        try store.dispatch(open()) { $0.isTelling = true }
        #expect(webhook.requests.map(\.body) == [Array(#"{"prices":0}"#.utf8)])
        webhook.reply(.success(RemoteResponse(status: 204)))
        try store.receive(notice.arrival(of: RemoteResponse.Status(code: 204), for: ())) { $0.isTelling = false }
        try store.dispatch(open()) { $0.isTelling = true }
        webhook.reply(.success(RemoteResponse(status: 500)))
        try store.receive(notice.failure(.serverError(.init(status: 500)), for: ())) {
            $0.isTelling = false
            $0.error = "bad-status"
        }
        try store.finish()
    }

    @Test func aSavedStateThatWaitsGetsAFailure() throws {
        let waiting = hall.kind.connected(to: RemoteClients(["quotes": quotes])).makeStore()
        waiting.dispatch(["type": "hall/clear"], DispatchOptions()) { _ in }
        let (revision, snapshot) = waiting.snapshot()
        let restored = try hall.kind.makeStore(from: snapshot, revision: revision)
        restored.resume()
        #expect(restored.read(.pointer(JSONPointer(tokens: ["error"]))).json == Array(#""interrupted""#.utf8))
    }

    @Test func aKindWithoutClientsFailsItsCalls() {
        let store = hall.kind.makeStore()
        #expect(store.runningEffects == [])
        #expect(
            hall.kind.connected(to: RemoteClients(["quotes": quotes])).services.map(\.name) == [
                "quotes", "prices", "webhook",
            ])
    }
}

private struct Vault: Sendable, Equatable {
    var token = Secret("")
    var error: String?
    var at = 0

    static let open = Action<Vault, (String, Int)>(
        "open", "Asks for a token.", .text("name", 1...20, example: "Ada"), .integer("floor", 0...9)
    ) { vault, _, floor in vault.error = nil }

    static let token = Fetch("token", on: open, from: "auth", at: "/token", as: String.self) { _, name, floor in
        .get("/\(name)/\(floor)")
    } then: { vault, _, floor, token, time in
        vault.token = Secret(token)
        vault.at = time + floor
    } failed: { vault, name, _, failure, _ in
        switch failure {
        case .declined(let answer): vault.error = "\(name): \(answer.status) \(answer.body)"
        case .serverError: vault.error = "the service has failed"
        case .timeout, .interrupted: vault.error = "unclear"
        case .refusedByBreaker: vault.error = "not asked"
        default: vault.error = failure.message
        }
    }.secret()
}

private let vault = StoreDefinition("vault", "A vault.", Vault()) {
    Member("token", \.token)
    Member("error", \.error)
    Vault.open
    Vault.token
}

@Suite struct SecretFetchTests {
    private let auth = ScriptedRemoteClient()

    private func store() -> TestStore<Vault, StoreAction<Vault>> {
        TestStore(Vault(), reducer: vault.reducer, middleware: vault.middleware(RemoteClients(["auth": auth])))
    }

    @Test func theFunctionsGetEachFieldTheAnswerAndTheTime() throws {
        let store = store()
        try store.advance(by: .seconds(9))
        try store.dispatch(Vault.open("Ada", 3))
        #expect(auth.requests == [.get("/Ada/3")])
        auth.reply(#"{"token":"t1"}"#)
        try store.receive(Vault.token.arrival(of: "t1", for: ("Ada", 3), at: 9000)) {
            $0.token = Secret("t1")
            $0.at = 9003
        }
        try store.finish()
    }

    @Test(arguments: [
        (RemoteFailure.declined(.init(status: 402, body: "no")), "Ada: 402 no"),
        (.serverError(.init(status: 500)), "the service has failed"), (.timeout(""), "unclear"),
        (.interrupted(""), "unclear"), (.refusedByBreaker(""), "not asked"), (.badBody("what?"), "what?"),
    ])
    func aFailureArrivesAsItIs(_ failure: RemoteFailure, _ error: String) throws {
        let store = store()
        try store.dispatch(Vault.open("Ada", 3))
        auth.reply(.failure(failure))
        try store.receive(Vault.token.failure(failure, for: ("Ada", 3))) { $0.error = error }
        try store.finish()
    }

    @Test func theLogShowsNoSecret() throws {
        let request = #""request":{"name":"Ada","floor":3}"#
        #expect(
            Vault.token.arrival(of: "t1", for: ("Ada", 3)).description
                == #"token{\#(request),"value":"***","at":0}"#)
        let declined = RemoteFailure.declined(.init(status: 401, body: "t1"))
        #expect(
            Vault.token.failure(declined, for: ("Ada", 3)).description
                == #"token-failed{\#(request),"code":"bad-status","message":"the answer has the status 401","status":401,"#
                + #""body":"***","at":0}"#)
        #expect(vault.kind.actions.first { $0.type == "vault/token" }?.secrets == ["value"])
    }
}
