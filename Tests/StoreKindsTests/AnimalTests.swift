import JSON
import RemoteServices
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct AnimalTests {
    private typealias Bench = TestStore<Animal, StoreAction<Animal>>

    private let client = ScriptedRemoteClient()

    private func store(showing animal: String = "", pointer: String = "/animal") throws -> Bench {
        var state = Animal()
        state.currentAnimal = animal
        let clients = RemoteClients(["animal": client], settings: ["animal": ["pointer": .string(pointer)]])
        return Bench(state, reducer: Animal.rules.reducer, middleware: Animal.rules.middleware(clients))
    }

    private func fetch(_ store: Bench) throws -> Receipt {
        if store.state.isLoading { return try store.dispatch(Animal.fetchAnimal()) }
        return try store.dispatch(Animal.fetchAnimal()) { state in
            state.previousAnimal = state.currentAnimal
            state.currentAnimal = "Loading..."
            state.isLoading = true
            state.error = nil
        }
    }

    @Test func aFetchedNameIsShown() throws {
        let store = try store()
        let receipt = try fetch(store)
        #expect(receipt.effects == ["animal.fetch"])
        client.reply(#"{"animal":"Cat"}"#)
        try store.receive(Animal.setCurrentAnimal("Cat")) { state in
            state.currentAnimal = "Cat"
            state.isLoading = false
        }
        try store.finish()
        #expect(client.requests == [RemoteRequest()])
    }

    @Test func whatWasShownComesBackWhenAFetchIsCancelled() throws {
        let store = try store(showing: "Dog")
        try store.expectIgnored(Animal.cancelFetch())
        _ = try fetch(store)
        _ = try fetch(store)
        try store.dispatch(Animal.cancelFetch()) { state in
            state.currentAnimal = "Dog"
            state.previousAnimal = ""
            state.isLoading = false
        }
        client.reply(#"{"animal":"Cat"}"#)
        try store.finish()
        try store.expectIgnored(Animal.cancelFetch())
        #expect(store.state.currentAnimal == "Dog")
    }

    @Test func theLatestFetchWins() throws {
        let store = try store()
        _ = try fetch(store)
        _ = try fetch(store)
        #expect(client.requests.count == 2)
        #expect(client.cancellations == 1)
        client.reply(#"{"animal":"Crow"}"#)
        try store.receive(Animal.setCurrentAnimal("Crow")) { state in
            state.currentAnimal = "Crow"
            state.isLoading = false
        }
        try store.finish()
    }

    /// The answer of the API, and the code of the failure that it is.
    private static let failures: [(ScriptedRemoteClient.Reply, RemoteFailure.Code)] =
        RemoteFailure.Code.allCases.map { (.failure(RemoteFailure($0, "it failed")), $0) }
        + [
            (answer(503, #"{"animal":"Cat"}"#), .badStatus), (answer(301, ""), .badStatus),
            (answer(200, "no JSON"), .badBody), (answer(204, ""), .badBody), (answer(200, "{}"), .badBody),
            (answer(200, #"{"animal":7}"#), .badBody), (answer(200, #"{"animal":null}"#), .badBody),
            (answer(200, #"{"animal":"Cat"}"#, type: "text/html; charset=utf-8"), .badBody),
            (answer(200, #"{"animal":"Cat"}"#, type: "json"), .badBody),
            (answer(200, #"{"animal":"\#(String(repeating: "a", count: 201))"}"#), .badBody),
        ]

    private static func answer(_ status: Int, _ body: String, type: String? = nil) -> ScriptedRemoteClient.Reply {
        .success(RemoteResponse(status: status, contentType: type, body: Array(body.utf8)))
    }

    @Test(arguments: failures)
    func aFailureIsStateAndWhatWasShownComesBack(
        _ reply: ScriptedRemoteClient.Reply, _ code: RemoteFailure.Code
    ) async throws {
        var state = Animal()
        state.currentAnimal = "Dog"
        let store = Store(
            state, reducer: Animal.rules.reducer.prepared,
            middleware: Animal.rules.middleware(RemoteClients(["animal": client])))
        client.reply(reply)
        await store.dispatch(Animal.fetchAnimal()).settled()
        #expect(store.state.currentAnimal == "Dog")
        #expect(!store.state.isLoading)
        #expect(store.state.error?.code == code)
        #expect(store.state.error?.message.isEmpty == false)
        #expect(Animal.elements.json(store.state).contains(#""error":{"code":"\#(code.rawValue)","message":""#))
        #expect(store.dispatch(Animal.ackError()).outcome == .committed)
        #expect(store.dispatch(Animal.ackError()).outcome == .ignored)
        #expect(store.state == state)
    }

    @Test func aNewFetchClearsTheError() throws {
        let store = try store()
        _ = try fetch(store)
        let failure = RemoteFailure(.timeout, "no answer")
        client.reply(.failure(failure))
        try store.receive(Animal.fetchFailed(.timeout, "no answer")) { state in
            state.currentAnimal = ""
            state.isLoading = false
            state.error = CodedError(.timeout, "no answer")
        }
        _ = try fetch(store)
        try store.dispatch(Animal.cancelFetch()) { state in
            state.currentAnimal = ""
            state.isLoading = false
        }
    }

    @Test func thePointerSelectsTheName() throws {
        let store = try store(pointer: "/data/0/name")
        _ = try fetch(store)
        client.reply(status: 201, #"{"data":[{"name":"Iguana 🦎"}]}"#)
        try store.receive(Animal.setCurrentAnimal("Iguana 🦎")) { state in
            state.currentAnimal = "Iguana 🦎"
            state.isLoading = false
        }
    }

    private typealias Row = TransitionRow<Animal, StoreAction<Animal>>

    private static let failure = CodedError(RemoteFailure.Code.timeout, "no answer")

    private static func state(_ change: (inout Animal) -> Void) -> Animal {
        var state = Animal()
        state.currentAnimal = "Dog"
        change(&state)
        return state
    }

    @Test func everyActionInEveryState() throws {
        let loading = Self.state { state in
            state.previousAnimal = state.currentAnimal
            state.currentAnimal = "Loading..."
            state.isLoading = true
        }
        let table = TransitionTable(
            states: [
                "idle": Self.state { _ in }, "loading": loading, "failed": Self.state { $0.error = Self.failure },
            ],
            Row("fetch", Animal.fetchAnimal(), .becomes("loading"), .stays, .becomes("loading")),
            Row("cancel", Animal.cancelFetch(), .ignored, .becomes("idle"), .ignored),
            Row("acknowledge", Animal.ackError(), .ignored, .ignored, .becomes("idle")),
            Row(
                "a name arrives", Animal.setCurrentAnimal("Cat"),
                .ignored, .changes { $0 = Self.state { $0.currentAnimal = "Cat" } }, .ignored),
            Row(
                "nothing arrives", Animal.fetchFailed(Self.failure.code, Self.failure.message), .ignored,
                .becomes("failed"), .ignored))
        try table.verify(Animal.rules.reducer)
    }
}
