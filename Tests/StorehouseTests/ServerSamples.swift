import Journal
import Security
import StoreHosting
import Storehouse
import StorehouseServer
import Testing

// The code in the articles of Storehouse, StorehouseServer, Journal and Security.

private let seats = StoreDefinition("seats", "A small hall.", [String]()) {
    Member("guests", \.self)
    Action("clear", "Frees all seats.") { guests in guests = [] }
}

private struct Hall: StorehouseApp {
    var kinds: [StoreKind] { seats }
}

/// Serves until a signal, so no test calls it.
private func serve() async throws {
    let configuration = try Configuration.load()
    let log = Log(configuration.log)
    let journal = try SQLiteJournal(path: configuration.storage.path) { log.warning("\($0)") }
    let sealer = try configuration.storage.key.map { try AESSealer(key: $0.bytes) }
    let server = try StorehouseServer(
        kinds: [seats.kind], configuration: configuration, journal: journal, sealer: sealer, log: log)
    try await server.run()
}

@Suite struct ServerSamples {
    @Test func anAppHostsWhatItNames() {
        #expect(Hall().kinds.map(\.name) == ["seats"])
    }
}
