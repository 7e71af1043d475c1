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
    var guest: ActorID
    var status = Status.held
    var cents: Int
    /// When the hold ends, or the seat was sold.
    var at: Int?
    var receipt: String?
}

struct Refusal: StoreValue, Equatable {
    let seat: Int
    let guest: ActorID
    let reason: String
}

private let seat = Field<Int>.integer("seat", 1...100)

let hold = Action<Hall, (Filled<ActorID>, Filled<Int>, Int)>(
    "hold", "Holds a free seat for a minute, at the price of now.", .user("guest"), .now("now"), seat,
    rules: .reject("taken") { hall, _, _, seat in hall.seats[seat] != nil }
) { hall, guest, now, seat in
    let cents = hall.prices[seat <= 50 ? "front" : "back"] ?? 0
    hall.seats.insert(Seat(id: seat, guest: guest, cents: cents, at: now + 60_000))
}

private let held = Rule<Hall, (ActorID, Int)>.reject("not-held") { hall, guest, seat in
    hall.seats[seat]?.guest != guest || hall.seats[seat]?.status != .held
}

let cancel = Action<Hall, (Filled<ActorID>, Int)>(
    "cancel", "Frees a seat that the guest holds.", .user("guest"), seat, rules: held
) { hall, _, seat in hall.seats.remove(seat) }

let expire = Action<Hall, Int>(
    "expire", "Frees a seat whose minute is over.", seat, audience: .internal,
    rules: .ignore { hall, seat in hall.seats[seat]?.status != .held }
) { hall, seat in hall.seats.remove(seat) }

let setPrice = Action<Hall, (String, Int)>(
    "setPrice", "Sets the price of the seats that are not held yet.",
    .choice("part", ["front", "back"], example: "back"), .integer("cents", 0...100_000, example: 1300),
    audience: .role("cashier")
) { hall, part, cents in hall.prices[part] = cents }

let pay = Action<Hall, (Filled<ActorID>, Int)>(
    "pay", "Pays a seat that the guest holds.", .user("guest"), seat, rules: held
) {
    hall, _, seat in hall.seats.update(seat) { ($0.status, $0.at) = (.paying, nil) }
}
