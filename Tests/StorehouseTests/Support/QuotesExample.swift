import JSON
import Storehouse
import Stores
import StoresTesting
import Testing

private struct Seats: Equatable {
    var guests: [String] = []
    var isAsking = false
    var quote: String?
    var error: String?
}

private let book = Action<Seats, String>(
    "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
    rules: .reject("booked-already") { hall, guest in hall.guests.contains(guest) }
) { hall, guest in hall.guests.append(guest) }

private let clear = Action<Seats, Void>("clear", "Frees all seats.") { hall in hall = Seats(isAsking: true) }

private let hall = StoreDefinition("hall", "A hall with a quote.", Seats()) {
    Member("guests", \.guests)
    Member("isAsking", \.isAsking)
    Member("quote", \.quote)
    Member("error", \.error)
    book
    clear
    Fetch("quote", on: clear, from: "quotes", at: "/text", as: String.self) { _ in
        .get("/random")
    } then: { hall, text, _ in
        hall.quote = text
        hall.isAsking = false
    } failed: { hall, failure, _ in
        hall.error = failure.code.rawValue
        hall.isAsking = false
    } isWaiting: { hall in
        hall.isAsking
    }
}

/// The example of docs/stores/calls.md.
@Suite struct QuotesExample {
    @Test func theRulesHold() throws {
        let quotes = ScriptedRemoteClient()
        let store = TestStore(
            Seats(), reducer: hall.reducer, middleware: hall.middleware(RemoteClients(["quotes": quotes])))
        try store.dispatch(book("Ada")) { $0.guests = ["Ada"] }
        try store.expectRejected(book("Ada"), "booked-already")
        try store.finish()
    }

    @Test func theQuoteArrives() throws {
        let quotes = ScriptedRemoteClient()
        let middleware = hall.middleware(RemoteClients(["quotes": quotes]))
        let store = Store(Seats(), reducer: hall.reducer, middleware: middleware)
        #expect(store.dispatch(clear()).outcome == .committed)
        #expect(hall.kind.problems == [])
    }
}
