#if os(Linux)
    import Foundation
    import Glibc
    import ProcessTesting
    import Testing

    /// The program in a terminal, and where a script keeps what it prints.
    @Suite struct TerminalTests {
        /// Starts a server.
        private static func serve(
            _ arguments: [String] = [], output: OutputPipe? = nil, errors: OutputPipe
        ) throws -> ChildProcess {
            let program = try #require(Products.directory).appending(path: "storehouse").path
            return try ChildProcess(
                program, ["serve", "--port", "0"] + arguments, in: FileManager.default.temporaryDirectory.path,
                output: output, errors: errors)
        }

        @Test func aServerInATerminalGreetsWithACommandThatWorks() async throws {
            let errors = OutputPipe(isTerminal: true)
            let process = try Self.serve(errors: errors)
            defer { process.end() }
            let text = try await onOwnThread { try errors.read { $0.hasSuffix("ends it.\n\n") } }
            let port = try #require(text.firstMatch(of: /info listening on http:\/\/127.0.0.1:(\d+)\n/)?.1)
            #expect(text.contains("\n  Storage    memory: all data is gone when the process ends"))
            #expect(text.contains("\n  Inspector  http://127.0.0.1:\(port)/\n"))
            let command = try #require(text.firstMatch(of: /\n  Try        (.*)\n/)?.1)
            let tried = try await ProgramResult.of("/bin/sh", ["-c", String(command)])
            #expect(tried.status == 0 && tried.output.contains("#1 committed"), "\(tried.errors)")
            let page = try await ProgramResult.of("/usr/bin/curl", ["-sf", "http://127.0.0.1:\(port)/openapi.json"])
            #expect(page.status == 0)
        }

        @Test func theLogOfAServerHasNoGreetingAndNoToken() async throws {
            let errors = OutputPipe()
            let process = try Self.serve(errors: errors)
            let text = try await onOwnThread { try errors.read { $0.contains("/admin is off") && $0.hasSuffix("\n") } }
            process.send(SIGTERM)
            let rest = try await onOwnThread { try errors.read() }
            #expect(await process.exitCode() == 0)
            #expect(text.contains("set admin.token (STOREHOUSE_ADMIN_TOKEN) to switch it on"))
            for line in (text + rest).split(separator: "\n") { #expect(line.contains("Z info "), "\(line)") }
        }

        @Test func theAdminTokenIsPrintedOnATerminal() async throws {
            let output = OutputPipe(isTerminal: true)
            let errors = OutputPipe()
            let process = try Self.serve(["--print-admin-token"], output: output, errors: errors)
            defer { process.end() }
            let text = try await onOwnThread { try output.read { $0.hasSuffix("\n") } }
            let token = try #require(text.wholeMatch(of: /Admin token: (\S{40,})\n/)?.1)
            let log = try await onOwnThread { try errors.read { $0.contains("listening on ") && $0.hasSuffix("\n") } }
            let url = try #require(log.firstMatch(of: /listening on (\S+)/)?.1)
            let list = try await ProgramResult.of(
                "/usr/bin/curl", ["-sf", "\(url)/admin/sessions", "-H", "Authorization: Bearer \(token)"])
            #expect(list.output == #"{"sessions":[],"next":null}"# + "\n")
            process.send(SIGTERM)
            let rest = try await onOwnThread { try errors.read() }
            #expect(!(log + rest).contains(token) && !(log + rest).contains("/admin is off"))
        }

        @Test func theAdminTokenIsPrintedNowhereElse() async throws {
            let result = try await Program.run(["serve", "--port", "0", "--print-admin-token"])
            #expect(result.status == 2 && result.output == "")
            #expect(result.errors.contains("--print-admin-token needs a terminal as standard output"))
        }

        /// A document that comes slowly: work that lasts as long as a test wants.
        @Test func aTerminalShowsTheProgressOfLongWork() async throws {
            let folder = try TemporaryFolder()
            let (document, errors) = (folder.path + "/document", OutputPipe(isTerminal: true))
            try #require(mkfifo(document, 0o600) == 0)
            let program = try #require(Products.directory).appending(path: "storehouse").path
            let process = try ChildProcess(
                program, ["import", document, folder.path + "/a.db"], environment: ["TERM": "xterm"], errors: errors)
            defer { process.end() }
            let pipe = open(document, O_RDWR | O_CLOEXEC)
            try #require(pipe >= 0)
            // Spaces are allowed before the document, and none comes.
            let shown = try await onOwnThread {
                var shown = ""
                while !shown.contains("\rread ") {
                    _ = write(pipe, " ", 1)
                    shown += (try? errors.read(within: .milliseconds(20)) { $0.contains("\rread ") }) ?? ""
                }
                close(pipe)
                return shown + (try errors.read())
            }
            #expect(await process.exitCode() == 1)
            let problem = try #require(shown.firstRange(of: "\r\u{1b}[Kstorehouse: "))
            #expect(shown[..<problem.lowerBound].contains(/\rread \d+ bytes\x1b\[K/))
            #expect(!shown[problem.lowerBound...].dropFirst().contains("\r"))
        }
    }
#endif
