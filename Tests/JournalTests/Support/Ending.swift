import Foundation
import Journal
import Locks
import StoreHosting
import Stores
import Testing

/// What a process that ended did until then.
final class Ledger: Sendable {
    struct Entry {
        /// The newest revision that was said to be kept, and the newest that was given.
        var kept: Int?
        var given: Int
    }

    // Guards what became of each session; nothing is locked in it.
    private let entries: Locked<[String: Entry]>

    init(_ kept: [String: Int] = [:]) {
        entries = Locked(kept.mapValues { Entry(kept: $0, given: $0) })
    }

    var all: [String: Entry] { entries.withLock(\.self) }

    /// Notes that so much is given, and what came of it.
    ///
    /// - Returns: whether it is kept.
    func note(_ id: String, _ revision: Int, _ outcome: () async -> JournalError?) async -> Bool {
        entries.withLock { $0[id, default: Entry(kept: nil, given: revision)].given = revision }
        let isDurable = await outcome() == nil
        if isDurable { entries.withLock { $0[id]?.kept = revision } }
        return isDurable
    }
}

/// What the disk has of each file when all is over.
enum Loss: CaseIterable {
    /// All that was written: the process was killed.
    case nothing
    /// What was synced, and no more: the machine lost power.
    case all
    /// What was synced of the log, and all of the database, or the other way.
    case log, database

    /// The ends of the names of those that have lost something.
    fileprivate var suffixes: Set<String> {
        switch self {
        case .nothing: []
        case .all: ["", "-wal", "-journal"]
        case .log: ["-wal", "-journal"]
        case .database: [""]
        }
    }
}

/// What is left of a file, and of what stands beside it, by the ends of their names.
private struct Remains {
    private let contents: [String: Data]
    private let kept: [String: Int]

    init(_ file: JournalFile, _ loss: Loss, _ ledger: Ledger) {
        var contents: [String: Data] = [:]
        for suffix in ["", "-wal", "-journal"] {
            let path = file.path + suffix + (loss.suffixes.contains(suffix) ? "-synced" : "")
            contents[suffix] = FileManager.default.contents(atPath: path)
        }
        self.contents = contents
        kept = ledger.all.compactMapValues(\.kept)
    }

    /// Tells it from others.
    var digest: Int {
        var hasher = Hasher()
        for (id, revision) in kept.sorted(by: { $0.key < $1.key }) {
            hasher.combine(id)
            hasher.combine(revision)
        }
        for suffix in contents.keys.sorted() {
            hasher.combine(suffix)
            contents[suffix]?.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }

    /// A file that is so.
    func file() throws -> JournalFile {
        let file = try JournalFile()
        for (suffix, contents) in contents { try contents.write(to: URL(fileURLWithPath: file.path + suffix)) }
        return file
    }
}

extension JournalFile {
    /// Copies a file on which nothing is lost that stands in it.
    fileprivate func duplicate() throws -> JournalFile {
        let copy = try copy()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: copy.path + suffix) {
            try FileManager.default.copyItem(atPath: copy.path + suffix, toPath: copy.path + suffix + "-synced")
        }
        return copy
    }
}

/// Has a scenario end after each of its calls that change something on disk, and looks at what is left.
///
/// - Parameters:
///   - template: what there is at the beginning; nil for nothing.
///   - kept: the revisions of the sessions in it.
///   - losses: what may be lost of it at the end.
///   - scenario: what is done, until something fails.
///   - check: looks at what was left in another way than whether all that was kept is there, once each, and can be gone on with.
/// - Returns: how many calls there were.
@discardableResult
func endingEverywhere(
    from template: JournalFile?, kept: [String: Int] = [:], losing losses: [Loss] = Loss.allCases,
    _ scenario: (JournalFile, FaultyDisk, Ledger) async throws -> Void,
    check: (SQLiteJournal) async throws -> Void = { _ in }
) async throws -> Int {
    let (disk, calm) = (try FaultyDisk(), try FaultyDisk())
    calm.end(after: 1 << 30, tearing: false)
    var (count, tearing, seen) = (0, false, Set<Int>())
    while true {
        let (file, ledger) = (try template?.duplicate() ?? JournalFile(), Ledger(kept))
        disk.end(after: count, tearing: tearing)
        try await scenario(file, disk, ledger)
        let isWhole = !disk.hasEnded
        for loss in losses {
            let remains = Remains(file, loss, ledger)
            // What has been looked at need not be once more.
            guard seen.insert(remains.digest).inserted else { continue }
            do {
                try await look(at: try remains.file(), ledger, calm, check)
            } catch {
                Issue.record("after \(count) calls, tearing \(tearing), losing \(loss): \(error)")
                return count
            }
        }
        if isWhole { return count }
        tearing = disk.endsWriting && !tearing
        if !tearing { count += 1 }
    }
}

private func look(
    at file: JournalFile, _ ledger: Ledger, _ disk: FaultyDisk, _ check: (SQLiteJournal) async throws -> Void
) async throws {
    let journal = try file.open(vfs: disk.name)
    for (id, entry) in ledger.all {
        guard case .session(let kept, let past, _, let session) = try await journal.found(id) else {
            if let kept = entry.kept { throw Missing(id: "\(id), of which \(kept) was kept") }
            continue
        }
        guard kept.revision >= entry.kept ?? 0, kept.revision <= entry.given else {
            throw Missing(id: "\(id): \(kept.revision) of \(entry)")
        }
        let cut = try await oldest(session, kept.revision)
        let revisions = try await session.commits(after: cut)?.map(\.revision)
        #expect(revisions == Array((cut + 1)..<(kept.revision + 1)))
        // Each commit counts one more. A newer parcel has no weight.
        if let count = past.count { #expect(count == kept.revision) }
    }
    try await check(journal)
    await journal.closed()
    let found = try SQLiteStorage.verify(file.path)
    if let problem = found.problems.first { throw Missing(id: problem) }
}

/// The oldest revision behind which all commits are there.
private func oldest(_ session: any SessionJournal, _ newest: Int) async throws -> Int {
    for revision in 0..<newest where try await session.commits(after: revision, limit: 1) != nil { return revision }
    return newest
}
