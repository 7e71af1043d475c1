import Dispatch
import Locks
import Platform
import Synchronization

/// Watches whether the files that a journal has open still have their names and their content.
///
/// A file that somebody has deleted, moved or replaced can still be written and synced as long as it is open. But no later process
/// finds what was written, and another server may use the file that has the name now. The commits behind those that somebody has cut off
/// are not found either. So nothing may be acknowledged any more.
final class FileWatch: Sendable {
    /// Files that have lost their names, or their content.
    struct Loss: Sendable, Equatable {
        enum Kind: Sendable {
            /// Only the WAL has lost its name: this process is still the only one that uses the database.
            case nameOfLog
            case names
            /// A file was shortened or overwritten.
            case content
        }

        let kind: Kind
        /// The files, for the log.
        let detail: String

        var isOnlyLog: Bool { kind == .nameOfLog }

        var event: StorageEvent { kind == .content ? .overwritten(detail) : .replaced(detail) }
    }

    private struct File: Sendable {
        let path: String
        let suffix: String
        let identity: FileIdentity
        /// It is never shorter. Of the other files, SQLite knows how long they must be.
        var minSize = 0
        /// Whether it is another name of the file with this suffix.
        var isAlias = false
    }

    /// A fault that was found in one file.
    private struct Problem {
        let file: File
        let detail: String
        var kind = Loss.Kind.names
    }

    private struct State {
        var loss: Loss?
        /// When the files were last looked up.
        var time: ContinuousClock.Instant?
    }

    /// How often the files are looked up before transactions at most: to do so takes some microseconds.
    private static let distance = Duration.milliseconds(25)

    private let files: [File]
    private let contents: ContentWatch
    private let report: @Sendable (StorageEvent) -> Void
    private let queue = DispatchQueue(label: "journal.files")
    private let isEnded = Atomic(false)
    // Whether there is a loss, for those that must not wait for a lock.
    private let lost = Atomic(false)
    // Guards the result. Nothing is called while it is held.
    private let state = Locked(State())

    /// - Parameters:
    ///   - path: the database as the configuration names it. A later process would look for it there.
    ///   - file: the database, which is open, so that its WAL and its shared memory exist.
    ///   - lock: the lock on it.
    ///   - vfs: the name of SQLite's VFS; nil for the default.
    init(
        _ path: String, _ file: StorageFile, _ lock: StorageLock, vfs: String?,
        _ report: @escaping @Sendable (StorageEvent) -> Void
    ) throws(StorageError) {
        self.report = report
        contents = try storageErrors(path) { () throws(SQLiteError) in try ContentWatch(file.path, vfs: vfs) }
        var files: [File] = []
        for suffix in ["", "-wal", "-shm"] {
            guard let status = FileStatus(file.path + suffix) else { continue }
            // Whoever reads memory behind the end of its file is killed.
            let minSize = suffix == "-shm" ? status.size : 0
            files.append(
                File(path: file.path + suffix, suffix: suffix, identity: status.identity, minSize: minSize))
        }
        if let identity = lock.identity {
            files.append(File(path: file.path + "-lock", suffix: "-lock", identity: identity))
        }
        // A link among the directories may lead elsewhere later.
        if path != file.path, let database = files.first, database.path == file.path {
            files.append(File(path: path, suffix: "", identity: database.identity, isAlias: true))
        }
        self.files = files
        if let loss = found() {
            throw .inaccessible(
                path: path, detail: loss.detail, advice: "somebody else changes it at this moment; try again")
        }
    }

    /// Looks the files up again and again, so that a loss is noticed although nobody writes.
    ///
    /// - Parameter body: called each time with what is lost.
    func begin(every interval: DispatchTimeInterval, _ body: @escaping @Sendable (Loss) -> Void) {
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
            guard let self, !isEnded.load(ordering: .relaxed) else { return }
            if let loss = lookUp() { body(loss) }
            begin(every: interval, body)
        }
    }

    /// No event is reported any more, and nothing new is noticed.
    ///
    /// - Returns: what is lost.
    func end() -> Loss? {
        isEnded.store(true, ordering: .relaxed)
        defer { contents.close() }
        return lookUp()
    }

    /// Whether files have lost their names or their content, as far as is known.
    var isLost: Bool { lost.load(ordering: .relaxed) }

    /// The loss, if there is one. The files are looked up only if that was not done a moment ago.
    func loss(at now: ContinuousClock.Instant) -> Loss? {
        let isRecent = state.withLock { state in state.time.map { now < $0 + Self.distance } ?? false }
        return isRecent && !isLost ? nil : lookUp(at: now)
    }

    /// Looks the files up, and reports what has changed.
    @discardableResult
    func lookUp(at now: ContinuousClock.Instant = .now) -> Loss? {
        let loss = found()
        let known = state.withLock { state in
            defer { state = State(loss: loss, time: now) }
            return state.loss
        }
        lost.store(loss != nil, ordering: .relaxed)
        guard !isEnded.load(ordering: .relaxed) else { return loss }
        // Nothing can be put back after a loss of content, although a name was lost before.
        if let loss, known == nil || loss.kind == .content && known?.kind != .content { report(loss.event) }
        if loss == nil, known != nil { report(.recovered) }
        return loss
    }

    private func found() -> Loss? {
        var problems = files.compactMap(Self.problem)
        if let damage = contents.damage(isLooking: problems.isEmpty) { return Loss(kind: .content, detail: damage) }
        // The two names of the database are one file for the reader.
        let isNamed = problems.contains { $0.file.suffix.isEmpty && !$0.file.isAlias }
        if isNamed { problems.removeAll(where: \.file.isAlias) }
        guard !problems.isEmpty else { return nil }
        let isOnlyLog = problems.allSatisfy { $0.file.suffix == "-wal" }
        return Loss(
            kind: problems.contains { $0.kind == .content } ? .content : isOnlyLog ? .nameOfLog : .names,
            detail: problems.map { "\($0.file.path) \($0.detail)" }.joined(separator: ", "))
    }

    private static func problem(of file: File) -> Problem? {
        if let found = FileStatus(file.path) {
            guard found.identity == file.identity else { return Problem(file: file, detail: "is another file now") }
            guard found.size < file.minSize else { return nil }
            return Problem(file: file, detail: "is shorter than it was", kind: .content)
        }
        switch errno {
        case ENOENT, ENOTDIR: return Problem(file: file, detail: "is gone")
        // The system had no answer. It is asked again.
        case EINTR, ENOMEM, EIO: return nil
        default: return Problem(file: file, detail: "cannot be found: \(systemError())")
        }
    }
}
