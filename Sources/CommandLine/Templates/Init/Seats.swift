import Storehouse

/// The state of a session.
struct Seats: Equatable {
    var guests: [String] = []
}

let book = Action<Seats, String>(
    "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
    rules: .reject("sold-out") { hall, _ in hall.guests.count == 3 }
) { hall, guest in hall.guests.append(guest) }

let seats = StoreDefinition("seats", "A small hall.", Seats()) {
    Member("guests", \.guests)
    book
    Action("clear", "Frees all seats.") { hall in hall.guests = [] }
}
