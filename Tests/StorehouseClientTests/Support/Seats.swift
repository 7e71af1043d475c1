import JSON
import RemoteStoreTesting
import StoreHosting
import StorehouseClient
import Stores

/// The state of a small hall.
struct Hall: Sendable, Equatable {
    var guests: [String] = []
    var visits = 0
    var password = ""
}

let book = Action<Hall, String>(
    "book", "Books a seat.", .text("guest", 1...80, example: "Ada"),
    rules: .reject("sold-out") { hall, _ in hall.guests.count == 3 }
) { hall, guest in hall.guests.append(guest) }

let visit = Action<Hall, Void>("visit", "Counts a visit.") { hall in hall.visits += 1 }

let unlock = Action<Hall, String>("unlock", "Sets a password.", .text("password", 1...80, example: "x").secret()) {
    hall, password in hall.password = password
}

let stamp = Action<Hall, Filled<Int>>("stamp", "Remembers the time.", .now("at")) { hall, time in hall.visits = time }

let seats = StoreDefinition("seats", "A small hall.", Hall()) {
    Member("guests", \.guests)
    Member("visits", \.visits)
    book
    visit
    unlock
    stamp
}

/// A store of the hall with its server.
@MainActor
struct World {
    let server = ScriptedServer()
    let clock = ManualClock(time: 1_000_000)
    var environment: ClientEnvironment {
        ClientEnvironment(transport: server, clock: clock, random: { 0.5 }, makeID: { "client" })
    }

    func store(
        storage: OutboxStorage = .memory, create: String? = nil, unknown: UnknownPolicy = .drop,
        hearsEffects: Bool = false, token: (@Sendable (TokenReason) async throws -> String?)? = nil
    ) -> RemoteStore<Hall> {
        RemoteStore(
            RemoteModel(seats), url: "https://host/sessions/me?store=seats", environment, storage: storage,
            token: token, create: create, unknown: unknown, hearsEffects: hearsEffects)
    }

    /// A store that is live, with this state.
    func liveStore(
        _ hall: JSONValue = ["guests": [], "visits": 0], unknown: UnknownPolicy = .drop, hearsEffects: Bool = false
    ) async -> RemoteStore<Hall> {
        let store = store(unknown: unknown, hearsEffects: hearsEffects)
        let stream = await server.stream()
        stream.begin()
        stream.send(ScriptedServer.state(0, hall), ScriptedServer.ready(0))
        return store
    }
}
