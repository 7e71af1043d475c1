#if os(Linux)
    import Foundation
    import Glibc
    import ProcessTesting

    /// The program in its own process, with its own limits, memory and CPU time.
    struct ServerProcess: Sendable {
        struct NotBuilt: Error {}

        /// The program went on for two minutes after a signal that ends it, and was killed.
        struct DidNotStop: Error {
            let log: String
        }

        let port: Int
        /// The lines of standard error.
        let log: LogLines
        private let process: ChildProcess
        private static let waitTimeout = Duration.seconds(Wire.waitTimeout)
        private var id: pid_t { process.id }

        /// Serves while `body` runs, then sends SIGTERM and waits for the end.
        ///
        /// - Parameters:
        ///   - program: an executable of this package.
        ///   - files: the limit on open files.
        ///   - addressSpace: the limit on address space in bytes; nil for none.
        ///   - environment: its configuration.
        ///   - starter: a command that becomes the program, whose path it gets as its last argument; none for the program itself.
        ///   - isAwaited: whether it listens when `body` begins. Otherwise its port is not known.
        static func run<Result: Sendable>(
            program: String = "storehouse", files: Int = 20_000, addressSpace: Int? = nil,
            _ environment: [String: String] = [:], startedBy starter: [String] = [], isAwaited: Bool = true,
            _ body: (ServerProcess) async throws -> Result
        ) async throws -> Result {
            guard let program = Products.directory?.appending(path: program).path,
                FileManager.default.isExecutableFile(atPath: program)
            else { throw NotBuilt() }
            let settings = environment.merging(Self.environment) { given, _ in given }
            let limits = "ulimit -n \(files)" + (addressSpace.map { "; ulimit -v \($0 / 1024)" } ?? "")
            let errors = OutputPipe()
            let command = starter.isEmpty ? [program, "serve"] : starter + [program]
            let process = try ChildProcess(
                "/bin/bash", ["-c", "{ \(limits); } 2>/dev/null; exec \"$0\" \"$@\""] + command, environment: settings,
                in: FileManager.default.temporaryDirectory.path, errors: errors)
            let said = LogLines()
            // A thread reads: where the end of a pipe wakes a source of libdispatch, that may use memory that is free.
            Thread {
                while let some = errors.readSome() { said.write(some) { _ in [] } }
                said.end()
            }.start()
            let result: Swift.Result<Result, any Error>
            do {
                let port = isAwaited ? try await port(in: said) : 0
                result = .success(try await body(ServerProcess(port: port, log: said, process: process)))
            } catch {
                result = .failure(error)
            }
            process.send(SIGTERM)
            guard await process.exitCode(within: waitTimeout) != nil else { throw DidNotStop(log: said.text) }
            return try result.get()
        }

        private static func port(in said: LogLines) async throws -> Int {
            try await said.line(with: "listening on ")
            guard let port = said.text.firstMatch(of: /listening on http:\/\/127.0.0.1:(\d+)/).flatMap({ Int($0.1) })
            else { throw Wire.Failure.malformed(said.text) }
            return port
        }

        /// The environment: a free port, the options of the sanitizers, and no time that a slow machine could exceed.
        private static var environment: [String: String] {
            let names = ["HEADER_TIMEOUT", "BODY_TIMEOUT", "IDLE_TIMEOUT", "MAX_WAIT"]
            let times = names.map { ("STOREHOUSE_HTTP_" + $0, "3600") }
            return ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
                .merging(times + [("STOREHOUSE_HTTP_PORT", "0"), ("STOREHOUSE_HTTP_MIN_BODY_RATE", "0")]) { $1 }
        }

        func client(receiveBuffer: Int32? = nil) throws -> TestClient {
            try TestClient(port: port, receiveBuffer: receiveBuffer)
        }

        /// Sends a signal.
        func signal(_ number: Int32) { process.send(number) }

        var hasEnded: Bool { !process.isRunning }

        /// Waits for the end of a process that was told to end. Returns the exit code, or 128 + the signal that killed it.
        func exitCode() async throws -> Int32 {
            guard let code = await process.exitCode(within: Self.waitTimeout) else { throw DidNotStop(log: log.text) }
            return code
        }

        /// The path of a session made for it.
        func sessionPath() async throws -> String {
            let response = try await client().exchange(TestRequest("POST", "/sessions"))
            guard response.status == 201, let path = response["location"] else {
                throw Wire.Failure.malformed("no session but \(response.status)")
            }
            return path
        }

        /// Resident memory at present.
        var residentBytes: Int { get throws { try status("VmRSS") * 1024 } }

        /// The most resident memory that it ever had.
        var mostResidentBytes: Int { get throws { try status("VmHWM") * 1024 } }

        /// How many files and sockets it has open.
        var openFiles: Int {
            get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count }
        }

        /// How many threads it has.
        var threads: Int { get throws { try status("Threads") } }

        /// Whether it has a library in memory whose file has a name that begins so.
        func maps(_ library: String) throws -> Bool {
            // The file has no size and comes a page at a time; Foundation takes the first page for all of it.
            let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(id)/maps"))
            defer { try? file.close() }
            var text: [UInt8] = []
            while let page = try file.read(upToCount: 65_536), !page.isEmpty { text += page }
            return String(decoding: text, as: UTF8.self).contains("/" + library)
        }

        /// Whether a sanitizer is built in, whose memory is not that of the server: it reserves terabytes.
        var isSanitized: Bool { get throws { try status("VmSize") > 1 << 30 } }

        /// The processor time that it has taken, of user and system, in steps of 10 ms.
        var processorTime: Duration {
            get throws {
                // Behind the name, which is in brackets, the 12th and 13th number.
                let text = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
                let numbers = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst()
                let ticks = numbers.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
                return .milliseconds(ticks * 10)
            }
        }

        /// Whether it handles a signal.
        func handles(_ number: Int32) throws -> Bool { try status("SigCgt", radix: 16) >> Int(number - 1) & 1 == 1 }

        /// A limit as the kernel shows it.
        func softLimit(of name: String) throws -> String? {
            let text = try String(contentsOfFile: "/proc/\(id)/limits", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.dropFirst(name.count).split(separator: " ").first.map(String.init)
        }

        private func status(_ name: String, radix: Int = 10) throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            let value = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
            guard let value = value.flatMap({ Int($0, radix: radix) }) else { throw Wire.Failure.malformed(text) }
            return value
        }
    }
#endif
