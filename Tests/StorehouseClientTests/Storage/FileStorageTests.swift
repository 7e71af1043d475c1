import Platform
import ProcessTesting
import StorehouseClient
import Testing

@Suite(.timeLimit(.minutes(5))) struct FileStorageTests {
    private static let client = "kJ2vQ0aaaaaaaaaaaaaaaa"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// - Parameter waitTimeout: a storage that was released may still close its files.
    private func storage(_ disk: any OutboxDisk = SystemDisk(), waitTimeout: Duration = .seconds(60)) -> FileStorage {
        FileStorage(folder.path + "/a/b", disk: disk, waitTimeout: waitTimeout)
    }

    private static func row(_ number: Int, _ text: String = "entry\n") -> OutboxRow {
        OutboxRow(number: number, bytes: Array("\(text)\(number)".utf8))
    }

    private func file(_ suffix: String) throws -> String {
        let names = try #require(Folder.names(in: folder.path + "/a/b"))
        return folder.path + "/a/b/" + (try #require(names.first { $0.hasSuffix(suffix) }))
    }

    private func bytes(of path: String) throws -> [UInt8] { try FileContents.contents(of: path, atMost: 1 << 20) }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_TRUNC)
        defer { close(file) }
        try SystemDisk().write(bytes, to: file, at: 0)
    }

    @Test func anOutboxOutlivesItsStorage() async throws {
        do {
            let storage = storage()
            #expect(try await storage.load("a") == StoredOutbox())
            try await storage.append([Self.row(1), Self.row(2)])
            try await storage.advance(OutboxProgress(client: Self.client, sent: 2))
            try await storage.append([Self.row(3), Self.row(3, "newer")])
            try await storage.advance(OutboxProgress(client: Self.client, sent: 2, done: [1]))
            try await storage.save([1, 10, 2])
        }
        let outbox = StoredOutbox(
            client: Self.client, last: 3, sent: 2, rows: [Self.row(2), Self.row(3, "newer")], cache: [1, 10, 2])
        #expect(try await storage().load("a") == outbox)
        #expect(try await storage().load("b") == StoredOutbox())
    }

    @Test func theHighestNumberIsKeptWithoutEntries() async throws {
        do {
            let storage = storage()
            _ = try await storage.load("a")
            for number in 1...200 {
                try await storage.append([OutboxRow(number: number, bytes: [UInt8](repeating: 7, count: 1000))])
                try await storage.advance(OutboxProgress(client: Self.client, sent: number, done: [number]))
            }
        }
        #expect(try await storage().load("a") == StoredOutbox(client: Self.client, last: 200, sent: 200))
        #expect(try bytes(of: file(".outbox")).count < 80_000)
    }

    @Test func anEntryThatIsNotWrittenHasANumber() async throws {
        do {
            let storage = storage()
            _ = try await storage.load("a")
            try await storage.append([Self.row(1)])
            try await storage.advance(OutboxProgress(client: Self.client, sent: 3))
            try await storage.advance(OutboxProgress(client: "another0aaaaaaaaaaaaaa", sent: 0, done: [1]))
        }
        let outbox = try await storage().load("a")
        #expect(outbox == StoredOutbox(client: "another0aaaaaaaaaaaaaa", last: 3, sent: 0))
    }

    @Test func namesTellNothing() async throws {
        let storage = storage()
        _ = try await storage.load("https://host/shared/secret")
        try await storage.append([Self.row(1)])
        let names = try #require(Folder.names(in: folder.path + "/a/b"))
        #expect(!names.contains { $0.contains("secret") })
        #expect(names.count == 2)
    }

    @Test func onlyTheUserMayReadIt() async throws {
        let storage = storage()
        _ = try await storage.load("a")
        try await storage.append([Self.row(1)])
        try await storage.save([1])
        var status = stat()
        for suffix in [".outbox", ".cache"] {
            let path = try file(suffix)
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(stat(folder.path + "/a/b", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test func anEntryIsOnTheDiskBeforeItIsKept() async throws {
        let disk = ScriptedDisk()
        let storage = storage(disk)
        _ = try await storage.load("a")
        let before = disk.calls.count
        try await storage.append([Self.row(1)])
        #expect(disk.calls.dropFirst(before) == [.open, .write, .sync, .syncFolder])
        try await storage.advance(OutboxProgress(client: Self.client, sent: 1))
        #expect(disk.calls.dropFirst(before + 4) == [.write, .sync])
    }

    @Test func nobodyElseMayOpenIt() async throws {
        let storage = storage()
        _ = try await storage.load("a")
        let failure = await #expect(throws: StorageFailure.self) {
            try await self.storage(waitTimeout: .zero).load("a")
        }
        guard case .inUse = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        _ = try await self.storage().load("b")
        _ = try await storage.append([Self.row(1)])
    }

    @Test func signingOutDeletesAll() async throws {
        let storage = storage()
        _ = try await storage.load("a")
        try await storage.append([Self.row(1)])
        try await storage.save([1])
        try await storage.clear()
        let names = try #require(Folder.names(in: folder.path + "/a/b"))
        #expect(names.allSatisfy { $0.hasSuffix(".lock") })
        try await storage.append([Self.row(7)])
        try await storage.clear()
        try await storage.append([Self.row(1)])
        withExtendedLifetime(storage) {}
        #expect(try bytes(of: file(".outbox")).count < 100)
    }

    @Test func aFileOfANewerReleaseStaysAsItIs() async throws {
        do {
            let storage = storage()
            _ = try await storage.load("a")
            try await storage.append([Self.row(1)])
        }
        let path = try file(".outbox")
        let newer = Array("storehouse outbox 2\nwhatever".utf8)
        try write(newer, to: path)
        await #expect(throws: StorageFailure.newer(path: path)) { try await self.storage().load("a") }
        #expect(try bytes(of: path) == newer)
    }

    // MARK: Damage

    @Test func aFileThatIsCutAnywhereKeepsTheRecordsBefore() async throws {
        var stages: [(size: Int, outbox: StoredOutbox)] = [(0, StoredOutbox())]
        do {
            let storage = storage()
            _ = try await storage.load("a")
            var outbox = StoredOutbox()
            func add() throws { stages.append((try bytes(of: file(".outbox")).count, outbox)) }
            for number in 1...3 {
                try await storage.append([Self.row(number)])
                outbox.rows.append(Self.row(number))
                outbox.last = number
                try add()
                let done = number == 2 ? [1] : []
                try await storage.advance(OutboxProgress(client: Self.client, sent: number, done: done))
                (outbox.client, outbox.sent) = (Self.client, number)
                outbox.rows.removeAll { done.contains($0.number) }
                try add()
            }
        }
        let path = try file(".outbox")
        let whole = try bytes(of: path)
        for size in 0...whole.count {
            try write(Array(whole.prefix(size)), to: path)
            var kept = try #require(stages.last { $0.size <= size }).outbox
            do {
                let storage = storage()
                #expect(try await storage.load("a") == kept, "\(size)")
                try await storage.append([Self.row(9)])
            }
            kept.rows.append(Self.row(9))
            kept.last = 9
            #expect(try await storage().load("a") == kept, "\(size), and one more")
        }
    }

    @Test func aByteThatIsWrongIsNoticed() async throws {
        do {
            let storage = storage()
            _ = try await storage.load("a")
            try await storage.append([Self.row(1)])
            try await storage.append([Self.row(2)])
            try await storage.save(Array("cache".utf8))
        }
        let (path, cache) = (try file(".outbox"), try file(".cache"))
        let (whole, wholeCache) = (try bytes(of: path), try bytes(of: cache))
        for index in Array("storehouse outbox 1\n".utf8).count..<whole.count {
            var wrong = whole
            wrong[index] ^= 1
            try write(wrong, to: path)
            let outbox = try await storage().load("a")
            let isFirst = outbox.rows == [Self.row(2)] && outbox.damage == .damaged(path: path)
            #expect(isFirst || [[], [Self.row(1)]].contains(outbox.rows) && outbox.damage == nil, "\(index)")
        }
        for index in wholeCache.indices {
            var wrong = wholeCache
            wrong[index] ^= 1
            try write(wrong, to: cache)
            #expect(try await storage().load("a").cache == nil, "\(index)")
        }
    }

    @Test func entriesBehindADamagedPartAreKept() async throws {
        do {
            let storage = storage()
            _ = try await storage.load("a")
            try await storage.append([Self.row(1)])
            try await storage.advance(OutboxProgress(client: Self.client, sent: 1))
            for number in 2...4 {
                let bytes = Array(repeating: 64 + UInt8(number), count: 2)
                try await storage.append([OutboxRow(number: number, bytes: bytes)])
            }
        }
        let path = try file(".outbox")
        let whole = try bytes(of: path)
        let text = String(decoding: whole, as: UTF8.self)
        func damage(_ part: String, _ length: Int = 1) throws {
            let range = try #require(text.firstRange(of: part))
            let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
            var wrong = whole
            for index in start..<start + length { wrong[index] ^= 1 }
            try write(wrong, to: path)
        }

        try damage("CC")
        var outbox = try await storage().load("a")
        #expect(outbox.rows.map(\.number) == [1, 2, 4])
        #expect(outbox.damage == .damaged(path: path))
        #expect(outbox.sent == 1)
        // It is told once.
        outbox.damage = nil
        #expect(try await storage().load("a") == outbox)

        // Where that is lost which tells of what was sent, all may have been.
        try damage("progress")
        outbox = try await storage().load("a")
        #expect(outbox.rows.map(\.number) == [1, 2, 3, 4])
        #expect(outbox.client == nil)
        #expect(outbox.sent == 4)

        try damage("storehouse", 19)
        #expect(try await storage().load("a").rows.map(\.number) == [1, 2, 3, 4])
    }
}
