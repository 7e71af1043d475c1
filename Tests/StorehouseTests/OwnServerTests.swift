import Foundation
import JSON
import Journal
import ProcessTesting
import StoreHosting
import Storehouse
import Testing

private struct Seats {
    var guests: [String] = []
}

private struct Hall: StorehouseApp {
    var kinds: [StoreKind] {
        StoreDefinition("hall", "A hall.", Seats()) {
            Member("guests", \.guests)
            Action("book", "Books a seat.", .text("guest", 1...80, example: "Ada")) { $0.guests.append($1) }
        }
    }
}

/// The example of docs/storage.md: a server that is a part of another program.
@Suite struct OwnServerTests {
    @Test func itServesUntilASignalAndClosesItsFile() async throws {
        let folder = try TemporaryFolder()
        // A status of its own: a drain that does not end in time ends the process with 0.
        await #expect(processExitsWith: .exitCode(7)) {
            [path = folder.path + "/hall.db" as String] in
            let run = Task {
                try await Hall.serve(storage: .sqlite(path), configuration: ["http": ["port": 0]])
            }
            while !OwnServerTests.hasHandler(SIGTERM) { await Task.yield() }
            kill(getpid(), SIGTERM)
            try await run.value
            exit(7)
        }
        #expect(try SQLiteStorage.verify(folder.path + "/hall.db").problems == [])
    }

    @Test func aMistakeInTheCodeIsReportedAsOneInTheFile() async {
        let error = await #expect(throws: (any Error).self) {
            try await Hall.serve(storage: .memory, configuration: ["http": ["prot": 0]])
        }
        #expect("\(error, default: "none")".hasPrefix("http.prot (the configuration in code): is not a known key"))
    }

    @Test func theStorageInTheCodeIsChecked() async {
        let error = await #expect(throws: (any Error).self) {
            try await Hall.serve(storage: .redis("http://127.0.0.1"), configuration: [:])
        }
        #expect("\(error, default: "none")".contains("storage.redis.url: "))
    }

    @Test func anEventOfTheFileNamesNoSession() {
        let event = StorageEvent.damaged(session: "9GZ3mXk0cYbq2vT1sQeRpA", "a checksum is wrong")
        #expect("\(event)" == "the rows of a session are damaged; it cannot be used: a checksum is wrong")
    }

    private static func hasHandler(_ number: Int32) -> Bool {
        var action = sigaction()
        return sigaction(number, nil, &action) == 0 && action.__sigaction_handler.sa_handler != nil
    }
}
