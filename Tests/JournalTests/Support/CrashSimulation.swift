import Foundation
import Journal
import Locks
import StoreHosting
import Stores
import Testing

/// The commits that a process made until it ended, and the durable ones among them.
final class Ledger: Sendable {
    struct Entry {
        /// The newest revision that was reported as durable, and the newest that was appended.
        var durable: Int?
        var appended: Int
    }

    // Guards the entries. No other lock is taken while it is held.
    private let entries: Locked<[String: Entry]>

    init(_ durable: [String: Int] = [:]) {
        entries = Locked(durable.mapValues { Entry(durable: $0, appended: $0) })
    }

    var all: [String: Entry] { entries.withLock(\.self) }

    /// Records that a revision is appended, and whether it becomes durable.
    ///
    /// - Returns: whether it is durable.
    func record(_ id: String, _ revision: Int, _ outcome: () async -> JournalError?) async -> Bool {
        entries.withLock { $0[id, default: Entry(durable: nil, appended: revision)].appended = revision }
        let isDurable = await outcome() == nil
        if isDurable { entries.withLock { $0[id]?.durable = revision } }
        return isDurable
    }
}

/// The content of the files after the crash.
enum Loss: CaseIterable {
    /// Everything that was written: the process was killed.
    case nothing
    /// Only the synced content: the machine lost power.
    case all
    /// Only the synced content of the WAL, or of the database; everything of the other.
    case log, database

    /// The suffixes of the files that lose unsynced writes.
    fileprivate var suffixes: Set<String> {
        switch self {
        case .nothing: []
        case .all: ["", "-wal", "-journal"]
        case .log: ["-wal", "-journal"]
        case .database: [""]
        }
    }
}

/// The content of a database and its log files after a crash, by their suffixes.
private struct Remains {
    private let contents: [String: Data]
    private let durable: [String: Int]

    init(_ file: JournalFile, _ loss: Loss, _ ledger: Ledger) {
        var contents: [String: Data] = [:]
        for suffix in ["", "-wal", "-journal"] {
            let path = file.path + suffix + (loss.suffixes.contains(suffix) ? "-synced" : "")
            contents[suffix] = FileManager.default.contents(atPath: path)
        }
        self.contents = contents
        durable = ledger.all.compactMapValues(\.durable)
    }

    /// A hash of the content and of the durable revisions.
    var digest: Int {
        var hasher = Hasher()
        for (id, revision) in durable.sorted(by: { $0.key < $1.key }) {
            hasher.combine(id)
            hasher.combine(revision)
        }
        for suffix in contents.keys.sorted() {
            hasher.combine(suffix)
            contents[suffix]?.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }

    /// A new database with this content.
    func file() throws -> JournalFile {
        let file = try JournalFile()
        for (suffix, contents) in contents { try contents.write(to: URL(fileURLWithPath: file.path + suffix)) }
        return file
    }
}

extension JournalFile {
    /// A copy of the database whose whole content is synced.
    fileprivate func duplicate() throws -> JournalFile {
        let copy = try copy()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: copy.path + suffix) {
            try FileManager.default.copyItem(atPath: copy.path + suffix, toPath: copy.path + suffix + "-synced")
        }
        return copy
    }
}

/// The number of calls from one crash to the next: every call in long runs, as script/soak does them. Each crash takes
/// milliseconds under a sanitizer, and neighbours rarely differ.
private let distance = ProcessInfo.processInfo.environment["TEST_SEEDS"] == nil ? 3 : 1

/// Runs a scenario again and again, lets it crash after calls that change something on disk, and verifies the files.
///
/// - Parameters:
///   - template: the database at the beginning; nil for none.
///   - durable: the revisions of the sessions in the template.
///   - losses: the kinds of loss to simulate.
///   - scenario: writes to the database until something fails.
///   - check: verifies the reopened journal, beyond the check that every durable commit exists exactly once.
/// - Returns: the number of calls, rounded up to a crash.
@discardableResult
func crashAfterCalls(
    from template: JournalFile?, durable: [String: Int] = [:], losing losses: [Loss] = Loss.allCases,
    _ scenario: (JournalFile, FaultyDisk, Ledger) async throws -> Void,
    check: (SQLiteJournal) async throws -> Void = { _ in }
) async throws -> Int {
    let (disk, calm) = (try FaultyDisk(), try FaultyDisk())
    calm.end(after: 1 << 30, tearing: false)
    var (count, tearing, seen) = (0, false, Set<Int>())
    while true {
        let (file, ledger) = (try template?.duplicate() ?? JournalFile(), Ledger(durable))
        disk.end(after: count, tearing: tearing)
        try await scenario(file, disk, ledger)
        let isWhole = !disk.hasEnded
        for loss in losses {
            let remains = Remains(file, loss, ledger)
            // Equal contents are verified only once.
            guard seen.insert(remains.digest).inserted else { continue }
            do {
                try await verify(try remains.file(), ledger, calm, check)
            } catch {
                Issue.record("after \(count) calls, tearing \(tearing), losing \(loss): \(error)")
                return count
            }
        }
        if isWhole { return count }
        tearing = disk.endsWriting && !tearing
        if !tearing { count += distance }
    }
}

private func verify(
    _ file: JournalFile, _ ledger: Ledger, _ disk: FaultyDisk, _ check: (SQLiteJournal) async throws -> Void
) async throws {
    let journal = try file.open(vfs: disk.name)
    for (id, entry) in ledger.all {
        guard case .session(let summary, let replayable, _, let session) = try await journal.found(id) else {
            if let durable = entry.durable { throw Missing(id: "\(id), of which \(durable) was durable") }
            continue
        }
        guard summary.revision >= entry.durable ?? 0, summary.revision <= entry.appended else {
            throw Missing(id: "\(id): \(summary.revision) of \(entry)")
        }
        let start = try await oldest(session, summary.revision)
        let revisions = try await session.commits(after: start)?.map(\.revision)
        #expect(revisions == Array((start + 1)..<(summary.revision + 1)))
        // Each commit adds one to the count. The newer kind of parcel has no count.
        if let count = replayable.count { #expect(count == summary.revision) }
    }
    try await check(journal)
    await journal.closed()
    let found = try SQLiteStorage.verify(file.path)
    if let problem = found.problems.first { throw Missing(id: problem) }
}

/// The oldest revision after which all commits exist.
private func oldest(_ session: any SessionJournal, _ newest: Int) async throws -> Int {
    for revision in 0..<newest where try await session.commits(after: revision, limit: 1) != nil { return revision }
    return newest
}
