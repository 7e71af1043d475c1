import Foundation

/// A copy of a SQLite database that a process writes, as it would be left behind if the process ended.
package enum DatabaseCopy {
    /// - Throws: if the files cannot be copied.
    package static func make(of path: String, at copy: String) throws {
        let files = FileManager.default
        var log: Data?
        repeat {
            log = logHead(path)
            for suffix in ["", "-wal"] {
                try? files.removeItem(atPath: copy + suffix)
                guard files.fileExists(atPath: path + suffix) else { continue }
                try files.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
            // A log that began anew meanwhile lacks what the copy of the database lacks too.
        } while logHead(path) != log || logHead(copy) != log
    }

    /// The head of the write-ahead log, which differs each time that the log begins anew.
    private static func logHead(_ path: String) -> Data? {
        guard let file = try? FileHandle(forReadingFrom: URL(filePath: path + "-wal")) else { return nil }
        defer { try? file.close() }
        return try? file.read(upToCount: 32)
    }
}
