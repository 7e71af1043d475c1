import Storehouse

/// The state of a session.
struct MyHallState: Equatable {
    var guests: [String] = []
}

let book = Action<MyHallState, String>(
    "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
    rules: .reject("sold-out") { hall, _ in hall.guests.count == 3 }
) { hall, guest in hall.guests.append(guest) }

let myHall = StoreDefinition("my-hall", "A small hall.", MyHallState()) {
    Member("guests", \.guests)
    book
    Action("clear", "Frees all seats.") { hall in hall.guests = [] }
}
