public import StoreHosting

public struct Seats: Sendable, Equatable {
    public var guests: [String] = []

    public init(guests: [String] = []) { self.guests = guests }
}

public let book = Action<Seats, String>(
    "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
    rules: .reject("sold-out") { hall, _ in hall.guests.count == 3 }
) { hall, guest in hall.guests.append(guest) }

public let clear = Action<Seats, Void>("clear", "Frees all seats.") { hall in hall.guests = [] }

public let seats = StoreDefinition("seats", "A small hall.", Seats()) {
    Member("guests", \.guests)
    book
    clear
}
