import Journal
import Observability
import StoreHosting
import StorehouseServer
import Stores

extension Storehouse {
    /// Does what an operator wants done with a database file.
    ///
    /// - Returns: the exit code.
    static func perform(_ command: StorageCommand) throws -> Int32 {
        switch command {
        case .verify(let file): return try verify(file)
        case .backup(let file, let target):
            try SQLiteStorage.backup(file, to: target, progress: Progress("pages copied").tell)
            Console.printError("\(target) has all that \(file) had")
        case .export(let session, let file):
            Console.print(String(decoding: try SQLiteStorage.export(session, from: file), as: UTF8.self))
        case .import(let document, let file, let id):
            let name = id == "new" ? SessionID.random().description : id
            Console.print(
                try SQLiteStorage.insert(try read(document), into: file, as: name, objection: Self.objection))
        }
        return 0
    }

    /// Why no server can use a session; nil where one can that has its kind.
    private static func objection(_ session: SessionHeader) -> String? {
        SessionID(session.id.utf8) == nil
            ? "'\(session.id.prefix(64))' is no session's id; with '--id new' it gets one" : nil
    }

    private static func verify(_ file: String) throws -> Int32 {
        let found = try SQLiteStorage.verify(file, progress: Progress("sessions").tell)
        for problem in found.problems { Console.printError("\(file): \(problem)") }
        guard found.problems.isEmpty else {
            Console.printError(
                """
                \(file): \(found.damagedSessions) of \(found.sessions) sessions are damaged, and the others can be exported; \
                keep a copy of it and of its -wal file, and put a backup in its place
                """)
            return 1
        }
        Console.print("\(file): \(found.sessions) sessions with \(found.commits) commits are as they were written")
        return 0
    }

    /// The bytes of a file, `-` for standard input.
    private static func read(_ path: String) throws -> [UInt8] {
        do throws(FileError) {
            return try FileContents.contents(of: path == "-" ? "/dev/stdin" : path, atMost: 1 << 30)
        } catch {
            throw StorageError.refused("\(path): \(error)")
        }
    }
}

/// Tells how far long work has come, every few seconds.
private final class Progress {
    private let what: String
    private var next = ContinuousClock.now + .seconds(2)

    init(_ what: String) { self.what = what }

    func tell(_ done: Int, _ total: Int) {
        guard ContinuousClock.now >= next else { return }
        next = .now + .seconds(2)
        Console.printError("\(done) of \(total) \(what)")
    }
}
