import StoreHosting

/// The state of a small hall.
struct Hall: Sendable, Equatable {
    var guests: [String] = []
    var hosts: [String] = []
}

let book = Action<Hall, String>(
    "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
    rules: .reject("sold-out") { hall, _ in hall.guests.count == 3 }
) { hall, guest in hall.guests.append(guest) }

let greet = Action<Hall, Filled<ActorID>>("greet", "Somebody is host.", .user("host")) { hall, host in
    hall.hosts.append(host.text)
}

let seats = StoreDefinition("seats", "A small hall.", Hall()) {
    Member("guests", \.guests)
    Member("hosts", \.hosts)
    book
    greet
}
