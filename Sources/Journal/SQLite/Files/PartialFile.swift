import Platform

/// A copy of a database that is not complete yet. It stands beside its target under a name that nobody can foresee.
///
/// The process that makes it holds a lock on it, which the system releases with the process. So a later run can tell the copies
/// that a killed process has left behind from those that are still being made, and deletes the first.
final class PartialFile {
    private static let mark = ".storehouse-"
    private static let end = ".part"

    let file: StorageFile
    private let target: StorageFile
    private let descriptor: Int32

    /// Makes an empty file, after it has deleted what killed processes left in the folder.
    init(of target: StorageFile) throws(StorageError) {
        self.target = target
        Self.sweep(beside: target)
        while true {
            let name = target.path + Self.mark + String(UInt64.random(in: .min ... .max), radix: 36) + Self.end
            let file = try StorageFile(name)
            let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw .system(target.path) }
            // Some file systems have no locks. There nothing is ever swept.
            _ = flock(descriptor, LOCK_EX)
            // Before it had its lock, another process may have taken it for one that was left behind.
            if FileIdentity(of: descriptor) == FileIdentity(name) {
                (self.file, self.descriptor) = (file, descriptor)
                return
            }
            close(descriptor)
        }
    }

    /// Gives the file its target's name, which must be free, for good: also a power failure does not take it away any more.
    func complete() throws(StorageError) {
        try file.move(to: target)
        guard Folder.sync(Folder.of(target.path)) else {
            throw .system(target.path, "its folder cannot be synced")
        }
    }

    /// Deletes the file if it has not got its target's name.
    deinit {
        file.remove()
        close(descriptor)
    }

    private static func sweep(beside target: StorageFile) {
        let folder = Folder.of(target.path)
        for name in Folder.names(in: folder) ?? [] where isPartial(name, beside: target.name) {
            removeUnlessInUse(folder + name)
        }
    }

    /// Whether a file of this name is an incomplete copy: of this release, or of an earlier one, whose names had no mark.
    private static func isPartial(_ name: String, beside target: String) -> Bool {
        guard name.hasSuffix(end), let dot = name.dropLast(end.count).lastIndex(of: ".") else { return false }
        let word = name[dot...].dropLast(end.count)
        if word.hasPrefix(mark) { return isRandom(word.dropFirst(mark.count)) }
        return name[..<dot].utf8.elementsEqual(target.utf8) && isRandom(word.dropFirst())
    }

    private static func isRandom(_ text: Substring) -> Bool {
        (1...13).contains(text.utf8.count)
            && text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x7a) }
    }

    private static func removeUnlessInUse(_ path: String) {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, !isLockedBySQLite(descriptor),
            let file = try? StorageFile(path)
        else { return }
        file.remove()
    }

    /// Whether a process has a lock of SQLite on the file: an earlier release, which has no other one.
    private static func isLockedBySQLite(_ descriptor: Int32) -> Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        return fcntl(descriptor, F_GETLK, &range) != 0 || range.l_type != Int16(F_UNLCK)
    }
}
