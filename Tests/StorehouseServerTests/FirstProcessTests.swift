#if os(Linux)
    import Foundation
    import Glibc
    import ProcessTesting
    import StorehouseServer
    import Testing

    /// The program as the first process of a container, and what it does to the limits of its process.
    ///
    /// A namespace of its own needs root.
    @Suite(.timeLimit(.minutes(10)), .serialized) struct FirstProcessTests {
        private static let canContain =
            getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare")
        private static let unshare = ["--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL"]

        /// Runs the program as the first process while `body` runs, then kills it.
        private static func run(
            _ arguments: [String],
            _ body: (_ parent: ChildProcess, _ id: pid_t, _ errors: LogLines) async throws -> Void
        ) async throws {
            let program = try #require(Products.directory).appending(path: "storehouse").path
            let errors = OutputPipe()
            let parent = try ChildProcess(
                "/usr/bin/unshare", unshare + [program] + arguments, errors: errors)
            defer { parent.send(SIGKILL) }
            let said = LogLines()
            Thread {
                while let some = errors.readSome() { said.write(some) { _ in [] } }
                said.end()
            }.start()
            try await body(parent, try await child(of: parent), said)
        }

        /// The program out here, as soon as it is that of its file.
        private static func child(of parent: ChildProcess) async throws -> pid_t {
            var found: pid_t?
            try await waitUntil {
                let children = try? String(
                    contentsOfFile: "/proc/\(parent.id)/task/\(parent.id)/children", encoding: .utf8)
                found = children?.split(separator: " ").first.flatMap { pid_t($0) }
                guard let id = found else { return false }
                return (try? String(contentsOfFile: "/proc/\(id)/comm", encoding: .utf8)) == "storehouse\n"
            }
            return try #require(found)
        }

        private static func handles(_ number: Int32, _ id: pid_t) -> Bool {
            let status = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
            let mask = status.firstMatch(of: /SigCgt:\s+([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) } ?? 0
            return mask >> UInt64(number - 1) & 1 == 1
        }

        @Test(
            "a signal ends every command, as soon as it has begun", .enabled(if: canContain),
            arguments: [
                ["serve", "--port", "0"], ["upstream", "--port", "0"],
                ["watch", "SESSION"], ["send", "SESSION", "a/b"],
            ], [SIGTERM, SIGINT])
        func signals(_ arguments: [String], _ number: Int32) async throws {
            // It never answers, so that a command waits until its signal comes.
            let server = try TestListener()
            defer { withExtendedLifetime(server) {} }
            let session = "http://127.0.0.1:\(server.port)/sessions/AAAAAAAAAAAAAAAAAAAAAA"
            try await Self.run(arguments.map { $0 == "SESSION" ? session : $0 }) { parent, id, _ in
                try await waitUntil { Self.handles(number, id) }
                kill(id, number)
                #expect(await parent.exitCode(within: .seconds(Wire.waitTimeout)) != nil)
            }
        }

        @Test("processes that lose their parent are reaped", .enabled(if: canContain))
        func orphans() async throws {
            try await Self.run(["serve", "--port", "0"]) { parent, id, said in
                try await said.line(with: "listening on ")
                let command = ["-t", "\(id)", "-p", "-m", "sh", "-c", "for n in 1 2 3 4 5; do (true &); done"]
                let enter = try ChildProcess("/usr/bin/nsenter", command)
                #expect(await enter.exitCode() == 0)
                try await waitUntil { Self.children(of: id).isEmpty }
                kill(id, SIGTERM)
                #expect(await parent.exitCode(within: .seconds(Wire.waitTimeout)) == 0)
            }
        }

        private static func children(of id: pid_t) -> [Substring] {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
            return tasks.flatMap { task in
                ((try? String(contentsOfFile: "/proc/\(id)/task/\(task)/children", encoding: .utf8)) ?? "")
                    .split(separator: " ").map { Substring(String($0)) }
            }
        }

        @Test("no core file is written, unless the operator asks for it", arguments: ["false", "true"])
        func coreFiles(_ isAllowed: String) async throws {
            try await ServerProcess.run(["STOREHOUSE_MEMORY_CORE_DUMPS": isAllowed]) { server in
                let limit = try server.softLimit(of: "Max core file size")
                var own = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &own)
                let original = own.rlim_cur == rlim_t.max ? "unlimited" : "\(own.rlim_cur)"
                #expect(limit == (isAllowed == "true" ? original : "0"))
            }
        }
    }
#endif
