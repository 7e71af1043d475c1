import Stores
import StoresTesting
import Testing

// From Redux: a slice with a thunk.

struct Book: Sendable, Equatable, Identifiable {
    let id: Int
    var title: String
}

struct Books: Sendable, Equatable {
    var table = EntityTable<Book>()
    var isLoading = false
    var problem: String?
}

enum BooksAction: Sendable, Equatable {
    case load
    case loaded([Book])
    case failed(String)
    case rename(id: Int, title: String)
}

let booksReducer = Reduce<Books, BooksAction> { books, action in
    switch action {
    case .load: books.isLoading = true
    case .loaded(let all):
        books.isLoading = false
        books.table.setAll(all)
    case .failed(let problem): (books.isLoading, books.problem) = (false, problem)
    case .rename(let id, let title): books.table.update(id) { $0.title = title }
    }
}

struct Offline: Error {}

/// Loads the books after `load`.
func booksLoader(
    _ fetch: @escaping @Sendable () async throws(Offline) -> [Book]
) -> MiddlewareFunction<Books, BooksAction> {
    MiddlewareFunction { commit in
        guard commit.action == .load else { return .none }
        return .run("books.load", .leading) { () async throws(Offline) in
            .loaded(try await fetch())
        } failure: { _ in
            .failed("offline")
        }
    }
}

// From the Composable Architecture: a feature with a dependency and cancellation.

struct Fact: Sendable, Equatable {
    var number = 0
    var text: String?
    var isAsking = false
}

enum FactAction: Sendable, Equatable {
    case increment
    case ask
    case cancel
    case answered(String)
}

extension CasePath<FactAction, String> {
    static var answered: Self {
        CasePath(embed: { .answered($0) }, extract: { if case .answered(let text) = $0 { $1(text) } })
    }
}

struct FactReducer: Reducer {
    func decide(_ action: FactAction, in state: Fact) -> Decision {
        action == .ask && state.isAsking ? .ignore : .accept
    }

    func reduce(_ state: inout Fact, _ action: FactAction) {
        switch action {
        case .increment: (state.number, state.text) = (state.number + 1, nil)
        case .ask: state.isAsking = true
        case .cancel: state.isAsking = false
        case .answered(let text): (state.text, state.isAsking) = (text, false)
        }
    }
}

struct FactMiddleware: Middleware {
    let fact: @Sendable (Int) async -> String

    func respond(to commit: borrowing Commit<Fact, FactAction>) -> Effect<FactAction> {
        switch commit.action {
        case .ask:
            let (number, fact) = (commit.state.number, fact)
            return .run("fact.ask") { .answered(await fact(number)) }
        case .cancel: return .cancel("fact.ask")
        case .increment, .answered: return .none
        }
    }
}

// From ReSwift: a reducer, a middleware that logs, and a subscriber of one part.

struct Timer: Sendable, Equatable {
    var seconds = 0
    var laps: [Int] = []
}

enum TimerAction: Sendable, Equatable {
    case tick
    case lap
}

let timerReducer = Reduce<Timer, TimerAction> { timer, action in
    switch action {
    case .tick: timer.seconds += 1
    case .lap: timer.laps.append(timer.seconds)
    }
}

/// A lap each minute.
let minuteLaps = MiddlewareFunction<Timer, TimerAction> { commit in
    commit.action == .tick && commit.state.seconds.isMultiple(of: 60) ? .dispatch(.lap) : .none
}

/// The samples of the article about migration.
@Suite struct MigrationSamples {
    @Test func aSliceOfRedux() throws {
        let emma = Book(id: 1, title: "Emma")
        let store = TestStore(
            Books(), reducer: booksReducer, middleware: [booksLoader { () async throws(Offline) in [emma] }])
        try store.dispatch(.load) { $0.isLoading = true }
        try store.receive(.loaded([emma])) {
            $0.isLoading = false
            $0.table = [emma]
        }
        try store.dispatch(.rename(id: 1, title: "Persuasion")) { $0.table[1]?.title = "Persuasion" }
        try store.finish()
    }

    @Test func aFailureIsAnAction() throws {
        let store = TestStore(
            Books(), reducer: booksReducer,
            middleware: [booksLoader { () async throws(Offline) in throw Offline() }])
        try store.dispatch(.load) { $0.isLoading = true }
        try store.receive(.failed("offline")) { ($0.isLoading, $0.problem) = (false, "offline") }
        try store.finish()
    }

    @Test func aFeatureOfTheComposableArchitecture() throws {
        let store = TestStore(
            Fact(), reducer: FactReducer(), middleware: [FactMiddleware { "\($0) is a good number." }])
        try store.dispatch(.increment) { $0.number = 1 }
        try store.dispatch(.ask) { $0.isAsking = true }
        try store.receive(.answered) { ($0.text, $0.isAsking) = ("1 is a good number.", false) }
        try store.finish()
    }

    @Test func aCancelledQuestionHasNoAnswer() throws {
        let clock = TestClock()
        let fact = FactMiddleware { number in
            try? await clock.sleep(until: 1000)
            return "\(number)"
        }
        let store = TestStore(Fact(), reducer: FactReducer(), middleware: [fact], clock: clock)
        try store.dispatch(.ask) { $0.isAsking = true }
        try store.expectIgnored(.ask)
        try store.dispatch(.cancel) { $0.isAsking = false }
        try store.advance(to: 1000)
        try store.finish()
    }

    @Test func aStoreOfReSwift() throws {
        let store = Store(Timer(seconds: 58), reducer: timerReducer, middleware: [minuteLaps])
        let shown = Shown()
        let subscription = store.derived(state: \.laps.count).observe { shown.laps($0) }
        for _ in 1...3 { store.dispatch(.tick) }
        #expect(shown.counts == [0, 1])
        #expect(store.state == Timer(seconds: 61, laps: [60]))
        subscription.cancel()
    }

    @Test func aTestOfATimer() throws {
        let store = TestStore(Timer(seconds: 59), reducer: timerReducer, middleware: [minuteLaps])
        try store.dispatch(.tick) { $0.seconds = 60 }
        try store.receive(.lap) { $0.laps = [60] }
        try store.finish()
    }
}

private final class Shown: Sendable {
    private let recorder = Recorder<Int>()

    var counts: [Int] { recorder.values }

    func laps(_ count: Int) { recorder.record(count) }
}
