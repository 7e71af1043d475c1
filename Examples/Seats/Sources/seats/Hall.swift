import Storehouse

struct Seats {
    var guests: [String] = []
}

let seats = StoreDefinition("seats", "A small hall.", Seats()) {
    Member("guests", \.guests)
    Action(
        "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
        rules: .reject("sold-out") { hall, _ in hall.guests.count == 3 }
    ) { hall, guest in hall.guests.append(guest) }
    Action("clear", "Frees all seats.") { hall in hall.guests = [] }
}

@main struct Hall: StorehouseApp {
    var kinds: [StoreKind] { seats }
}
