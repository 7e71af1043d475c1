import Journal
import Observability

extension StorehouseApp {
    /// Runs a command of an operator on a database file.
    ///
    /// - Returns: the exit code.
    static func perform(_ command: StorageCommand) throws -> Int32 {
        switch command {
        case .verify(let file): return try verify(file)
        case .backup(let file, let target):
            try SQLiteStorage.backup(file, to: target, progress: Progress("pages copied").report)
            Console.printError("\(target) is a complete copy of \(file)")
        case .export(let session, let file):
            Console.print(String(decoding: try SQLiteStorage.export(session, from: file), as: UTF8.self))
        case .import(let document, let file, let id):
            let name = id == "new" ? SessionID.random().description : id
            Console.print(
                try SQLiteStorage.insert(try read(document), into: file, as: name, objection: Self.objection))
        }
        return 0
    }

    /// The reason why no server can use a session; nil if a server that hosts its kind can.
    private static func objection(_ session: SessionHeader) -> String? {
        SessionID(session.id.utf8) == nil
            ? "'\(session.id.prefix(64))' is not the id of a session; '--id new' gives it one" : nil
    }

    private static func verify(_ file: String) throws -> Int32 {
        let found = try SQLiteStorage.verify(file, progress: Progress("sessions").report)
        for problem in found.problems { Console.printError("\(file): \(problem)") }
        guard found.problems.isEmpty else {
            Console.printError(
                """
                \(file): \(found.damagedSessions) of \(found.sessions) sessions are damaged; the others can be exported. \
                Keep a copy of the file and of its -wal file, and put a backup in its place.
                """)
            return 1
        }
        Console.print("\(file): \(found.sessions) sessions with \(found.commits) commits are intact")
        return 0
    }

    /// The bytes of a file, or of standard input for `-`.
    private static func read(_ path: String) throws -> [UInt8] {
        do throws(FileError) {
            return try FileContents.contents(of: path == "-" ? "/dev/stdin" : path, atMost: 1 << 30)
        } catch {
            throw StorageError.refused("\(path): \(error)")
        }
    }
}

/// Writes the progress of long work to standard error, every two seconds.
private final class Progress {
    private let unit: String
    private var next = ContinuousClock.now + .seconds(2)

    init(_ unit: String) { self.unit = unit }

    func report(_ done: Int, _ total: Int) {
        guard ContinuousClock.now >= next else { return }
        next = .now + .seconds(2)
        Console.printError("\(done) of \(total) \(unit)")
    }
}
