import RemoteServices
import Stores
import StoresTesting
import Testing

struct Search: Sendable, Equatable {
    var text = ""
    var results: [String] = []
    var problem: String?
}

enum SearchAction: Sendable, Equatable {
    case type(String)
    case found([String])
    case failed(RemoteFailure)
}

struct SearchReducer: Reducer {
    func decide(_ action: SearchAction, in state: Search) -> Decision { .accept }

    func reduce(_ state: inout Search, _ action: SearchAction) {
        switch action {
        case .type(let text): state.text = text
        case .found(let results): (state.results, state.problem) = (results, nil)
        case .failed(let failure): state.problem = failure.message
        }
    }
}

struct SearchMiddleware: Middleware {
    let client: any RemoteClient

    func respond(to commit: borrowing Commit<Search, SearchAction>) -> Effect<SearchAction> {
        guard case .type(let text) = commit.action else { return .none }
        return .run("search.find", .debounced(for: .milliseconds(300))) { () async throws(RemoteFailure) in
            let answer = try await client.call(RemoteRequest(body: Array(text.utf8)))
            return .found(String(decoding: answer.body, as: UTF8.self).split(separator: ",").map(String.init))
        } failure: { failure in
            .failed(failure)
        }
        .deadline(.seconds(2), else: .failed(RemoteFailure(.timeout, "no answer within two seconds")))
    }
}

struct Timetable: Sendable, Equatable {
    /// Milliseconds since 1970.
    var departure: Int?
}

enum TimetableAction: Sendable, Equatable {
    case plan(Int)
    case depart
}

struct TimetableReducer: Reducer {
    func decide(_ action: TimetableAction, in state: Timetable) -> Decision { .accept }

    func reduce(_ state: inout Timetable, _ action: TimetableAction) {
        switch action {
        case .plan(let moment): state.departure = moment
        case .depart: state.departure = nil
        }
    }
}

/// The samples of effects, timers and tests in the articles.
@Suite struct SearchSamples {
    @Test func findsWhatWasTypedLast() throws {
        let client = ScriptedRemoteClient()
        let store = TestStore(Search(), reducer: SearchReducer(), middleware: [SearchMiddleware(client: client)])
        try store.dispatch(.type("c")) { $0.text = "c" }
        try store.dispatch(.type("ca")) { $0.text = "ca" }
        client.reply("Cat,Camel")
        try store.advance(by: .milliseconds(300))
        try store.receive(.found(["Cat", "Camel"])) { $0.results = ["Cat", "Camel"] }
        #expect(client.requests.count == 1)
        try store.finish()
    }

    @Test func givesUpAfterTwoSeconds() throws {
        let client = ScriptedRemoteClient()
        let store = TestStore(Search(), reducer: SearchReducer(), middleware: [SearchMiddleware(client: client)])
        try store.dispatch(.type("ca")) { $0.text = "ca" }
        try store.advance(by: .milliseconds(2300))
        try store.receive(.failed(RemoteFailure(.timeout, "no answer within two seconds"))) {
            $0.problem = "no answer within two seconds"
        }
        try store.finish()
    }

    @Test func departsInTime() throws {
        let timers = Timers<Timetable, TimetableAction>("timetable") { state in
            state.departure.map { [StateTimer("depart", at: $0, .depart)] } ?? []
        }
        let store = TestStore(Timetable(), reducer: TimetableReducer(), middleware: [timers])
        try store.dispatch(.plan(60_000)) { $0.departure = 60_000 }
        try store.advance(to: 60_000)
        try store.receive(.depart) { $0.departure = nil }
        try store.finish()
    }

    @Test func everyTransitionIsTested() throws {
        let table = TransitionTable<Ferry, FerryAction>(
            states: ["empty": Ferry(), "half": Ferry(cars: 1), "full": Ferry(cars: 3)],
            TransitionRow("board", .board, .becomes("half"), .changes { $0.cars = 2 }, .rejected("full")),
            TransitionRow("land", .land, .ignored, .becomes("empty"), .becomes("empty")))
        try table.verify(FerryReducer())
    }

    @Test func differencesNameThePath() {
        let text = difference(between: Ferry(cars: 1), and: Ferry(cars: 2))
        #expect(text == "cars: 1 → 2")
    }
}
