import Foundation
import JSON
import Locks
import StorehouseClient

/// The names that the kit gives to entries. They are kept beside the outbox, as a kill must not lose them.
final class Names: Sendable {
    private struct Contents {
        var path: String?
        /// The names of the entries that were sent and have no number yet, with their bytes.
        var sent: [(name: String, bytes: [UInt8])] = []
        var byNumber: [Int: String] = [:]
    }

    private let contents = Locked(Contents())

    /// Reads the names that were given before a kill.
    func load(_ path: String) {
        contents.withLock { contents in
            contents.path = path
            let lines = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n") ?? []
            for line in lines {
                guard let row = try? JSONValue(parsing: String(line)) else { continue }
                contents.byNumber[row["number"]?.asInteger ?? 0] = row["name"]?.asString
            }
        }
    }

    func add(_ name: String, _ bytes: [UInt8]) {
        contents.withLock { $0.sent.append((name, bytes)) }
    }

    func of(_ number: Int) -> String? { contents.withLock { $0.byNumber[number] } }

    /// Entries get their numbers.
    func number(_ rows: [OutboxRow]) {
        contents.withLock { contents in
            var lines = ""
            for row in rows {
                guard let index = contents.sent.firstIndex(where: { $0.bytes == row.bytes }) else { continue }
                let name = contents.sent.remove(at: index).name
                contents.byNumber[row.number] = name
                lines += JSONValue.object(["number": .integer(row.number), "name": .string(name)]).description + "\n"
            }
            guard let path = contents.path, let file = FileHandle(forUpdating: path) else { return }
            file.seekToEndOfFile()
            file.write(Data(lines.utf8))
            try? file.close()
        }
    }
}

extension FileHandle {
    fileprivate convenience init?(forUpdating path: String) {
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil) else { return nil }
        }
        self.init(forUpdatingAtPath: path)
    }
}

/// The disk is full.
struct DiskFull: Error {}

/// A storage that knows the names of its entries, and whose disk can be full.
struct NamedStorage: ClientStorage {
    let inner: any ClientStorage
    let names: Names
    let isFull: Locked<Bool>

    func load(_ name: String) async throws -> StoredOutbox {
        try await inner.load(Fault.sharesOutbox.isPlanted ? "all" : name)
    }

    func append(_ rows: [OutboxRow]) async throws {
        if Fault.storesNothing.isPlanted || Fault.sendsUnstored.isPlanted && isFull.withLock({ $0 }) {
            return names.number(rows)
        }
        try check()
        names.number(rows)
        try await inner.append(rows)
    }

    func advance(_ progress: OutboxProgress) async throws {
        try check()
        try await inner.advance(progress)
    }

    func save(_ cache: [UInt8]) async throws {
        try check()
        if !Fault.noCache.isPlanted { try await inner.save(cache) }
    }

    func clear() async throws {
        if !Fault.keepsOutbox.isPlanted { try await inner.clear() }
    }

    private func check() throws {
        if isFull.withLock({ $0 }) { throw DiskFull() }
    }
}
