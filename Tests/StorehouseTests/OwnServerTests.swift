import Foundation
import JSON
import Journal
import Observability
import ProcessTesting
import Security
import StoreHosting
import StorehouseServer
import Testing

private struct Hall {
    var guests: [String] = []
}

private let hall = StoreDefinition("hall", "A hall.", Hall()) {
    Member("guests", \.guests)
    Action("book", "Books a seat.", .text("guest", 1...80, example: "Ada")) { hall, guest in hall.guests.append(guest) }
}

/// The example of docs/storage.md: a server that is a part of another program.
@Suite struct OwnServerTests {
    private func server(_ configuration: Configuration, _ kinds: [StoreKind]) throws -> StorehouseServer {
        let log = Log(configuration.log)
        let journal = try SQLiteJournal(path: configuration.storage.path) { log.warning("\($0)") }
        let sealer = try configuration.storage.key.map { try AESSealer(key: $0.bytes) }
        return try StorehouseServer(
            kinds: kinds, configuration: configuration, journal: journal, sealer: sealer, log: log)
    }

    @Test func itIsDurable() async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.http.port = 0
        configuration.log.level = .error
        // However slow the machine is, the file is closed after the drain.
        configuration.http.drainTimeout = .seconds(3600)
        configuration.storage.kind = .sqlite
        configuration.storage.path = folder.path + "/hall.db"
        configuration.storage.key = SealingKey(String(repeating: "0f", count: 32))
        let running = try server(configuration, [hall.kind]).start()
        #expect(running.url.hasPrefix("http://127.0.0.1:"))
        await running.drain()
        let verification = try SQLiteStorage.verify(configuration.storage.path)
        #expect(verification.problems == [])
    }

    @Test func anEventOfTheFileNamesNoSession() {
        let event = StorageEvent.damaged(session: "9GZ3mXk0cYbq2vT1sQeRpA", "a checksum is wrong")
        #expect("\(event)" == "the rows of a session are damaged; it cannot be used: a checksum is wrong")
    }
}
