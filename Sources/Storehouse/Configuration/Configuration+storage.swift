package import Journal
package import Observability
import Platform
package import Sealing
package import StoreHosting
package import StorehouseServer

extension Configuration {
    /// Finds what would keep a server from serving these kinds, before it opens anything.
    package func check(_ kinds: [StoreKind]) throws(ConfigurationError) {
        let problems = problems(serving: kinds, outlivesProcess: storage.kind.outlivesProcess) + storage.problems
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }
}

extension Configuration.Storage {
    /// Opens the journal.
    ///
    /// - Throws: why the file cannot be used, and what to do about it.
    package func journal(_ log: Log) throws(StorageError) -> any Journal {
        switch kind {
        case .memory: return MemoryJournal(keepCommits: keepCommits, keepBytes: keepBytes)
        case .sqlite:
            return try SQLiteJournal(
                path: path, durability: durability == .full ? .full : .relaxed, keepCommits: keepCommits,
                keepBytes: keepBytes, keepDays: keepDays
            ) { log.write($0) }
        }
    }

    /// What encrypts the secrets; nil if there is no key.
    package func sealer() throws(SealerError) -> (any SecretSealer)? {
        guard let key else { return nil }
        return try AESSealer(key: key.bytes)
    }

    /// Why no file can be made at the path. The file itself is looked at when it is opened.
    fileprivate var problems: [ConfigurationProblem] {
        guard kind.outlivesProcess else { return [] }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            return [
                ConfigurationProblem(
                    path: "storage.path",
                    detail: "'\(path)' is a directory; name a file in it, such as '\(path)/storehouse.db'")
            ]
        }
        let directory = path.lastIndex(of: "/").map { path[..<$0].isEmpty ? "/" : String(path[..<$0]) } ?? "."
        guard access(directory, W_OK | X_OK) != 0 else { return [] }
        let code = errno
        let reason =
            code == ENOENT ? "does not exist; create it" : "cannot be written (\(String(cString: strerror(code))))"
        return [
            ConfigurationProblem(
                path: "storage.path", detail: "the directory '\(directory)' \(reason), or set another path")
        ]
    }
}
