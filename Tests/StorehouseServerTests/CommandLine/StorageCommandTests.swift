import Foundation
import JSON
import Observability
import ProcessTesting
import Testing

/// The commands on a database file, run as a script would run them.
@Suite struct StorageCommandTests {
    @Test func theResultsAreJSON() async throws {
        let server = DurableServerFolder()
        defer { server.remove() }
        let id = try await server.serve { live in
            let session = try await live.session()
            _ = try await live.post(session.path + "/actions", json: ["type": "counter/increment"])
            return session.path.split(separator: "/").last.map(String.init) ?? ""
        }
        let (file, copy, restored) = (server.path("storehouse.db"), server.path("copy.db"), server.path("restored.db"))

        let backup = try await Program.run(["backup", "--storage", file, "--to", copy, "--json"])
        #expect(try backup.json == ["storage": .string(file), "backup": .string(copy)])
        let verified = try await Program.run(["verify", "--storage", copy, "--json"])
        #expect(
            try verified.json == ["intact": true, "sessions": 1, "damagedSessions": 0, "commits": 1, "problems": []])
        let restoration = try await Program.run(["restore", "--from", copy, "--storage", restored, "--json"])
        #expect(restoration.status == 0)
        #expect(try restoration.json["commits"] == 1)
        let sessions = try await Program.run(["sessions", "--storage", restored, "--json"])
        let listed = try sessions.json
        #expect(listed["id"] == .string(id))
        #expect(listed["store"] == "app")
        #expect(listed["revision"] == 1)
        #expect(listed["damage"] == JSONValue.null)
        let document = try await Program.run(["export", "--storage", restored, "--json", "--", id])
        #expect(try document.json["id"] == .string(id))
        try Data(document.output.utf8).write(to: URL(filePath: server.path("session.json")))
        let imported = try await Program.run([
            "import", server.path("session.json"), "--storage", restored, "--id", "new", "--json",
        ])
        let other = try #require(try imported.json["session"]?.asString)
        let deleted = try await Program.run(["sessions", "--storage", restored, "--delete=" + other, "--json"])
        #expect(try deleted.json == ["storage": .string(restored), "deleted": .string(other)])
    }

    @Test func aDatabaseIsNotReplacedByARestoration() async throws {
        let server = DurableServerFolder()
        defer { server.remove() }
        _ = try await server.serve { try await $0.session().path }
        let (file, copy) = (server.path("storehouse.db"), server.path("copy.db"))
        #expect(try await Program.run(["backup", "--storage", file, "--to", copy]).status == 0)
        let refused = try await Program.run(["restore", "--from", copy, "--storage", file])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("already exists; move it away first"))
        let missing = try await Program.run([
            "restore", "--from", server.path("none.db"), "--storage", server.path("x.db"),
        ])
        #expect(missing.status == 1)
        #expect(!FileManager.default.fileExists(atPath: server.path("x.db")))
    }

    @Test func aDamagedBackupIsNotRestored() async throws {
        let server = DurableServerFolder()
        defer { server.remove() }
        _ = try await server.serve { try await $0.session().path }
        let (copy, target) = (server.path("copy.db"), server.path("target.db"))
        #expect(try await Program.run(["backup", "--storage", server.path("storehouse.db"), "--to", copy]).status == 0)
        // Behind the first page everything is zero.
        var bytes = try Data(contentsOf: URL(filePath: copy))
        bytes.replaceSubrange(4096..., with: Data(count: bytes.count - 4096))
        try bytes.write(to: URL(filePath: copy))
        let refused = try await Program.run(["restore", "--from", copy, "--storage", target])
        #expect(refused.status == 1)
        #expect(!FileManager.default.fileExists(atPath: target))
        let verified = try await Program.run(["verify", "--storage", copy, "--json"])
        #expect(verified.status == 1)
        #expect(try verified.json["intact"] == false)
    }

    /// A shell runs the program with another standard output.
    private static func run(_ arguments: [String], to output: String) async throws -> ProgramResult {
        let program = try #require(Products.directory).appending(path: "storehouse").path
        return try await ProgramResult.of("/bin/sh", ["-c", #""$0" "$@" \#(output)"#, program] + arguments)
    }

    @Test func aResultThatCannotBeWrittenIsAFailure() async throws {
        let server = DurableServerFolder()
        defer { server.remove() }
        let path = try await server.serve { try await $0.session().path }
        let (file, id) = (server.path("storehouse.db"), path.split(separator: "/").last.map(String.init) ?? "")
        for arguments in [
            ["verify", "--storage", file], ["verify", "--storage", file, "--json"], ["sessions", "--storage", file],
            ["export", "--storage", file, "--", id], ["backup", "--storage", file, "--to", file + ".copy", "--json"],
            ["types", "--swift", "app"], ["check-config"], ["completion", "bash"], ["--version"], ["help", "send"],
        ] {
            let full = try await Self.run(arguments, to: "> /dev/full")
            #expect(full.status == 1, "\(arguments)")
            #expect(full.errors.contains("standard output could not be written"), "\(arguments)")
            // A reader that has read enough is no failure.
            let closed = try await Self.run(arguments, to: "2>&1 >&3 3>&- | { read -r line; echo \"$line\"; }")
            #expect(closed.status == 0, "\(arguments)")
        }
    }

    @Test func aSessionIsFoundByTheMarkOfTheLog() async throws {
        let server = DurableServerFolder()
        defer { server.remove() }
        let paths = try await server.serve { live in [try await live.session().path, try await live.session().path] }
        let file = server.path("storehouse.db")
        for path in paths {
            let id = path.split(separator: "/").last.map(String.init) ?? ""
            for mark in [Fingerprint.of(id), Fingerprint.of(id).uppercased()] {
                let found = try await Program.run(["sessions", "--storage", file, "--mark", mark, "--json"])
                #expect(try found.status == 0 && found.json["id"] == .string(id))
            }
        }
        let none = try await Program.run(["sessions", "--storage", file, "--mark", "00000000"])
        #expect(none.status == 1 && none.errors.contains("no session with the mark 00000000"))
    }

    /// Without it, a power failure may take away the name of a copy that was reported as complete. The order of the system calls shows
    /// it.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")))
    func theFolderOfACopyIsSyncedBeforeTheProgramEnds() async throws {
        let server = DurableServerFolder()
        defer { server.remove() }
        _ = try await server.serve { try await $0.session().path }
        let (file, copy, restored) = (server.path("storehouse.db"), server.path("copy.db"), server.path("restored.db"))
        let program = try #require(Products.directory).appending(path: "storehouse").path
        for (arguments, name) in [
            (["backup", "--storage", file, "--to", copy], "copy.db"),
            (["restore", "--from", copy, "--storage", restored], "restored.db"),
        ] {
            let trace = server.path(name + ".trace")
            let result = try await ProgramResult.of(
                "/usr/bin/strace", ["-f", "-y", "-o", trace, "-e", "trace=fsync,link,rename", program] + arguments)
            #expect(result.status == 0)
            let calls = String(decoding: try Data(contentsOf: URL(filePath: trace)), as: UTF8.self)
                .split(separator: "\n")
            let named = try #require(calls.firstIndex { $0.contains("/\(name)\")") })
            let folder = try #require(file.split(separator: "/").dropLast().last)
            #expect(calls[named...].contains { $0.contains("fsync") && $0.contains("/\(folder)>)") })
        }
    }

    /// One in 4096 ids begins with two dashes.
    @Test func aSessionIDMayLookLikeAFlag() async throws {
        let server = DurableServerFolder()
        defer { server.remove() }
        _ = try await server.serve { try await $0.session().path }
        let result = try await Program.run([
            "export", "--storage", server.path("storehouse.db"), "--", "--storageAAAAAAAAAAAAA",
        ])
        #expect(result.status == 1)
        #expect(result.errors.contains("session --storageAAAAAAAAAAAAA does not exist"))
    }
}

/// A folder with the file of a durable server.
private struct DurableServerFolder {
    private let server: DurableServer?
    private let folder: String

    init() {
        server = try? DurableServer()
        folder = (server?.path as NSString?)?.deletingLastPathComponent ?? ""
    }

    func path(_ name: String) -> String { folder + "/" + name }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    func serve<Result: Sendable>(_ body: (LiveServer) async throws -> Result) async throws -> Result {
        try await #require(server).run(body)
    }
}
