import Platform
import ProcessTesting
import StorehouseClient
import Testing

/// Crashes and full disks at every step.
@Suite(.timeLimit(.minutes(5))) struct FaultyDiskTests {
    private static let client = "kJ2vQ0aaaaaaaaaaaaaaaa"

    /// A change of an outbox, and what it makes of the content.
    private enum Step {
        case append(Int)
        case advance(sent: Int, done: [Int])
        case save(UInt8)

        func apply(to outbox: inout StoredOutbox) {
            switch self {
            case .append(let number):
                outbox.rows.append(Self.row(number))
                outbox.last = max(outbox.last, number)
            case .advance(let sent, let done):
                (outbox.client, outbox.sent) = (FaultyDiskTests.client, sent)
                outbox.rows.removeAll { done.contains($0.number) }
            case .save(let byte): outbox.cache = [byte]
            }
        }

        func perform(on storage: FileStorage) async throws {
            switch self {
            case .append(let number): try await storage.append([Self.row(number)])
            case .advance(let sent, let done):
                try await storage.advance(OutboxProgress(client: FaultyDiskTests.client, sent: sent, done: done))
            case .save(let byte): try await storage.save([byte])
            }
        }

        private static func row(_ number: Int) -> OutboxRow {
            // Three of them are worth to be compacted when they are done.
            OutboxRow(number: number, bytes: [UInt8](repeating: UInt8(number), count: 30_000))
        }
    }

    private static let steps: [Step] = [
        .append(1), .advance(sent: 1, done: []), .save(1), .append(2), .append(3), .advance(sent: 3, done: [1, 2]),
        .append(4), .save(2), .advance(sent: 4, done: [3, 4]), .append(5), .advance(sent: 5, done: []),
    ]

    @Test(arguments: [0, 0.5, 1]) func aCrashLosesNothingThatWasKept(_ part: Double) async throws {
        var calls = 0
        var isOver = false
        while !isOver {
            let folder = try TemporaryFolder()
            let disk = ScriptedDisk()
            var before = StoredOutbox()
            var after = StoredOutbox()
            disk.fail(EIO, after: calls, part: part)
            do {
                let storage = FileStorage(folder.path, disk: disk, waitTimeout: .seconds(60))
                do {
                    _ = try await storage.load("a")
                    for step in Self.steps {
                        step.apply(to: &after)
                        try await step.perform(on: storage)
                        before = after
                    }
                    isOver = true
                } catch {}
            }
            let found = try await FileStorage(folder.path, waitTimeout: .seconds(60)).load("a")
            #expect(found == before || found == after, "after \(calls) calls")
            calls += 1
        }
        #expect(calls > 30)
    }

    @Test(arguments: [0, 0.5, 1]) func afterAFullDiskNothingIsHalfKept(_ part: Double) async throws {
        var calls = 0
        var isOver = false
        while !isOver {
            let folder = try TemporaryFolder()
            let disk = ScriptedDisk()
            var expected = StoredOutbox()
            do {
                let storage = FileStorage(folder.path, disk: disk, waitTimeout: .seconds(60))
                _ = try await storage.load("a")
                disk.fail(ENOSPC, after: calls, times: 1, part: part)
                for step in Self.steps {
                    do {
                        try await step.perform(on: storage)
                    } catch {
                        #expect("\(error)".hasPrefix("there is no room on the disk"))
                        try await step.perform(on: storage)
                    }
                    step.apply(to: &expected)
                }
                isOver = disk.calls.count <= calls
            }
            let found = try await FileStorage(folder.path, waitTimeout: .seconds(60)).load("a")
            #expect(found == expected, "after \(calls) calls")
            calls += 1
        }
        #expect(calls > 30)
    }

    @Test func anEntryThatIsNotKeptIsNotThereLater() async throws {
        let folder = try TemporaryFolder()
        let disk = ScriptedDisk()
        do {
            let storage = FileStorage(folder.path, disk: disk, waitTimeout: .seconds(60))
            _ = try await storage.load("a")
            try await storage.append([OutboxRow(number: 1, bytes: [1])])
            // The sync fails behind a write that is done.
            disk.fail(ENOSPC, after: 1, times: 1)
            await #expect(throws: StorageFailure.self) { try await storage.append([OutboxRow(number: 2, bytes: [2])]) }
        }
        let rows = try await FileStorage(folder.path, waitTimeout: .seconds(60)).load("a").rows
        #expect(rows == [OutboxRow(number: 1, bytes: [1])])
    }

    @Test func anEntryThatCannotBeCutOffIsCutOffLater() async throws {
        let folder = try TemporaryFolder()
        let disk = ScriptedDisk()
        do {
            let storage = FileStorage(folder.path, disk: disk, waitTimeout: .seconds(60))
            _ = try await storage.load("a")
            try await storage.append([OutboxRow(number: 1, bytes: [1])])
            // The sync behind the write fails, and then the cut.
            disk.fail(EIO, after: 1, times: 2)
            await #expect(throws: StorageFailure.self) { try await storage.append([OutboxRow(number: 2, bytes: [2])]) }
            #expect(disk.calls == [.write, .sync, .truncate])
        }
        let rows = try await FileStorage(folder.path, waitTimeout: .seconds(60)).load("a").rows
        #expect(rows == [OutboxRow(number: 1, bytes: [1])])
    }
}
