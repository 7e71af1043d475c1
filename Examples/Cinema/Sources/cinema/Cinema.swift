import Storehouse

@main struct Cinema: StorehouseApp { var kinds: [StoreKind] { cinema() } }

/// The bank. This demo answers if `upstreams.bank.url` is not set, and declines the guest Nobody.
let bank = RemoteService("bank") { request in
    let order = (try? JSONValue(parsing: request.body)) ?? [:]
    if order["guest"] == "Nobody" { return .json(["reason": "no-funds"], status: 402) }
    return .json(["receipt": .string("demo-\(order["seat"]?.asInteger ?? 0)")])
}

@Sendable private func number(_ guest: Filled<ActorID>, _ seat: Int) -> String { String(seat) }

/// Charges the guest once, however often the bank, the network or the server fails meanwhile.
let payment = Fetch(
    "payment", on: pay, from: bank, at: "/receipt", as: String.self, id: number,
    retry: .upTo(20, every: .seconds(1), doublingTo: .seconds(30), in: \.calls)
) { hall, guest, seat in
    .post(["seat": .integer(seat), "guest": .string(guest.text), "cents": .integer(hall.seats[seat]?.cents ?? 0)])
} then: { hall, _, seat, receipt, time in
    hall.seats.update(seat) { ($0.status, $0.at, $0.receipt) = (.sold, time, receipt) }
} failed: { hall, guest, seat, failure, _ in
    let reason =
        switch failure {
        case .declined(let answer): answer.json?["reason"]?.asString ?? "declined"
        case .serverError, .otherStatus: "bank-failed"
        default: "unclear"
        }
    if failure.answer == nil { hall.seats.update(seat) { $0.status = .unclear } } else { hall.seats.remove(seat) }
    hall.refusals = (hall.refusals + [Refusal(seat: seat, guest: guest.value, reason: reason)]).suffix(100)
}

func cinema() -> StoreDefinition<Hall> {
    StoreDefinition("cinema", "A show in a hall of a hundred seats.", Hall(), migrations: [.raw(fromVersion1)]) {
        Member("seats", \.seats)
        Member("prices", \.prices)
        Member("refusals", \.refusals)
        Member("calls", \.calls)
        // Everybody with a token sees the hall and may take seats.
        Access { _, actor in actor.kind == .user ? [.read, .act] : [] }
        hold
        cancel
        expire
        setPrice
        pay
        payment
        Timers("holds") { (hall: Hall) in
            hall.seats.ordered.filter { $0.status == .held }.map { seat in
                StateTimer(EffectID(String(seat.id)), at: seat.at ?? 0, expire(seat.id))
            }
        }
        Selector("income", "What the sold seats have brought, in cents.") { hall in
            hall.seats.ordered.reduce(0) { $0 + ($1.status == .sold ? $1.cents : 0) }
        }
    }
}

/// Version 1 had the guests of the sold seats only: `{"sold": {"7": "Ada"}}`. They had paid 900 cents.
@Sendable private func fromVersion1(_ state: inout JSONValue, _ privateState: inout JSONValue) {
    let seats = (state["sold"]?.asObject ?? [:]).map { name, guest -> (String, JSONValue) in
        (name, ["id": .integer(Int(name) ?? 0), "guest": guest, "status": "sold", "cents": 900])
    }
    state = ["seats": ["entities": .object(.init(seats)), "ids": .array(seats.compactMap { $0.1["id"] })]]
}
