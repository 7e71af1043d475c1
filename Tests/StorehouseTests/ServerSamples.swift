import StoreHosting
import Storehouse
import Testing

// The code in the article of Storehouse.

private let seats = StoreDefinition("seats", "A small hall.", [String]()) {
    Member("guests", \.self)
    Action("clear", "Frees all seats.") { guests in guests = [] }
}

private struct Hall: StorehouseApp {
    var kinds: [StoreKind] { seats }
}

/// Serves until a signal, so no test calls it.
private func serve() async throws {
    try await Hall.serve(storage: .sqlite("hall.db"), configuration: ["http": ["port": 8090]])
}

@Suite struct ServerSamples {
    @Test func anAppHostsWhatItNames() {
        #expect(Hall().kinds.map(\.name) == ["seats"])
    }
}
