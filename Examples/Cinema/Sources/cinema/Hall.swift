import Storehouse

/// The state of a session: a show in a hall of a hundred seats.
struct Hall: Equatable {
    /// The seats that are not free, by number: 1 to 50 are in front.
    var seats = EntityTable<Seat>()
    var prices = ["front": 900, "back": 1200]
    var refusals: [Refusal] = []
    var calls = PendingCalls()
}

struct Seat: StoreValue, Identifiable, Equatable {
    enum Status: String, StoreValue { case held, paying, sold, unclear }
    let id: Int
    var guest: String
    var status = Status.held
    var cents: Int
    /// When the hold ends, or the seat was sold.
    var at: Int?
    var receipt: String?
}

struct Refusal: StoreValue, Equatable {
    let seat: Int
    let guest: String
    let reason: String
}

private let seat = Field<Int>.integer("seat", 1...100)
private let guest = Field<String>.text("guest", 1...80, example: "Ada")

let hold = Action<Hall, (Int, String, Int)>(
    "hold", "Holds a free seat for a minute, at the price of now.", seat, guest,
    .integer("now", atLeast: 0, example: 0).defaulting(to: 0).described("Milliseconds since 1970, set by the server."),
    rules: .reject("taken") { hall, seat, _, _ in hall.seats[seat] != nil }
) { hall, seat, guest, now in
    let cents = hall.prices[seat <= 50 ? "front" : "back"] ?? 0
    hall.seats.insert(Seat(id: seat, guest: guest, cents: cents, at: now + 60_000))
}

private let held = Rule<Hall, (Int, String)>.reject("not-held") { hall, seat, guest in
    hall.seats[seat]?.guest != guest || hall.seats[seat]?.status != .held
}

let cancel = Action<Hall, (Int, String)>(
    "cancel", "Frees a seat that the guest holds. After a minute a timer does it.", seat, guest, rules: held
) { hall, seat, _ in hall.seats.remove(seat) }

let setPrice = Action<Hall, (String, Int)>(
    "setPrice", "Sets the price of the seats that are not held yet.",
    .choice("part", ["front", "back"], example: "back"), .integer("cents", 0...100_000, example: 1300)
) { hall, part, cents in hall.prices[part] = cents }

let pay = Action<Hall, (Int, String)>("pay", "Pays a seat that the guest holds.", seat, guest, rules: held) {
    hall, seat, _ in hall.seats.update(seat) { ($0.status, $0.at) = (.paying, nil) }
}
