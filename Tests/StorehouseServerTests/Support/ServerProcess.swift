#if os(Linux)
    import Foundation
    import Glibc
    import Locks

    /// The program in its own process, with its own limits, memory and CPU time.
    struct ServerProcess: Sendable {
        struct NotBuilt: Error {}

        /// The program went on for a minute after a signal that ends it, and was killed.
        struct DidNotStop: Error {
            let log: String
        }

        let port: Int
        /// The lines of standard error.
        let log: LogLines
        private let id: pid_t
        private let end: ProcessEnd

        /// Serves while `body` runs, then sends SIGTERM and waits for the end.
        ///
        /// - Parameters:
        ///   - program: an executable of this package.
        ///   - files: the limit on open files.
        ///   - addressSpace: the limit on address space in bytes; nil for none.
        ///   - environment: its configuration.
        ///   - isAwaited: whether it listens when `body` begins. Otherwise its port is not known.
        static func run<Result: Sendable>(
            program: String = "storehouse", files: Int = 20_000, addressSpace: Int? = nil,
            _ environment: [String: String] = [:], isAwaited: Bool = true,
            _ body: (ServerProcess) async throws -> Result
        ) async throws -> Result {
            guard let program = Products.directory?.appending(path: program).path,
                FileManager.default.isExecutableFile(atPath: program)
            else { throw NotBuilt() }
            let errors = Pipe()
            let said = LogLines()
            let input = dup(errors.fileHandleForReading.fileDescriptor)
            // A thread reads: where the end of a pipe wakes a source of libdispatch, that may use memory that is free.
            Thread {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = read(input, &buffer, buffer.count)
                    if count > 0 { said.write(Array(buffer[..<count])) { _ in [] } }
                    if count == 0 || count < 0 && errno != EINTR { break }
                }
                close(input)
                said.end()
            }.start()
            let settings = environment.merging(Self.environment) { given, _ in given }
            let limits = "ulimit -n \(files)" + (addressSpace.map { "; ulimit -v \($0 / 1024)" } ?? "")
            let id = try spawn(program, limits, settings, errors.fileHandleForWriting.fileDescriptor)
            try errors.fileHandleForWriting.close()
            // A thread waits for the end, because Swift's own threads must not block.
            let end = ProcessEnd()
            Thread {
                var status: Int32 = 0
                waitpid(id, &status, 0)
                end.arrived(status)
            }.start()
            let result: Swift.Result<Result, any Error>
            do {
                let port = isAwaited ? try await port(in: said) : 0
                result = .success(try await body(ServerProcess(port: port, log: said, id: id, end: end)))
            } catch {
                result = .failure(error)
            }
            if !end.hasArrived { kill(id, SIGTERM) }
            _ = await Self.status(of: id, end)
            if end.wasForced { throw DidNotStop(log: said.text) }
            return try result.get()
        }

        /// Starts the program. Not by Foundation's `Process`, which reads past the end of a buffer where thousands of
        /// files are open, as other tests have them.
        private static func spawn(
            _ program: String, _ limits: String, _ environment: [String: String], _ errors: Int32
        ) throws -> pid_t {
            // It inherits no files, which would count for its limit.
            let script = """
                cd "$1"
                for file in /proc/$$/fd/*; do
                    number=${file##*/}
                    if ((number > 2)); then eval "exec $number>&-"; fi
                done
                { \(limits); } 2>/dev/null
                exec "$0" serve
                """
            let words = ["/bin/bash", "-c", script, program, FileManager.default.temporaryDirectory.path]
            let arguments = words.map { strdup($0) } + [nil]
            let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer {
                posix_spawn_file_actions_destroy(&actions)
                for text in arguments + variables { free(text) }
            }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            // Who reads the output of the tests would wait for a server that outlives them.
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, errors, 2)
            var id: pid_t = 0
            guard posix_spawn(&id, words[0], &actions, nil, arguments, variables) == 0 else { throw NotBuilt() }
            return id
        }

        private static func port(in said: LogLines) async throws -> Int {
            try await said.line(with: "listening on ")
            guard let port = said.text.firstMatch(of: /listening on http:\/\/127.0.0.1:(\d+)/).flatMap({ Int($0.1) })
            else { throw Wire.Failure.malformed(said.text) }
            return port
        }

        /// The environment: a free port, and the options of the sanitizers.
        private static var environment: [String: String] {
            ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
                .merging(["STOREHOUSE_HTTP_PORT": "0"]) { $1 }
        }

        func client(receiveBuffer: Int32? = nil) throws -> TestClient {
            try TestClient(port: port, receiveBuffer: receiveBuffer)
        }

        /// Sends a signal.
        func signal(_ number: Int32) {
            if !end.hasArrived { kill(id, number) }
        }

        var hasEnded: Bool { end.hasArrived }

        /// Waits for the end of the process. Returns the exit code, or 128 + the signal that killed it.
        func exitCode() async -> Int32 {
            let status = await Self.status(of: id, end)
            return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
        }

        /// Waits for the end of a process that was told to end, and kills it after a minute.
        private static func status(of id: pid_t, _ end: ProcessEnd) async -> Int32 {
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60)) {
                if end.force() { kill(id, SIGKILL) }
            }
            return await end.status()
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

        private func status(_ name: String, radix: Int = 10) throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            let value = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
            guard let value = value.flatMap({ Int($0, radix: radix) }) else { throw Wire.Failure.malformed(text) }
            return value
        }
    }

    /// The end of a process, awaited by any number of tasks.
    private final class ProcessEnd: Sendable {
        private struct Contents {
            var status: Int32?
            var wasForced = false
            var waiting: [CheckedContinuation<Int32, Never>] = []
        }

        // No other lock is taken while this one is held.
        private let contents = Locked(Contents())

        var hasArrived: Bool { contents.withLock { $0.status != nil } }

        var wasForced: Bool { contents.withLock { $0.wasForced } }

        /// Whether the process has not ended yet, and is killed now.
        func force() -> Bool {
            contents.withLock { contents in
                if contents.status == nil { contents.wasForced = true }
                return contents.status == nil
            }
        }

        func arrived(_ status: Int32) {
            let waiting = contents.withLock { contents in
                contents.status = status
                defer { contents.waiting = [] }
                return contents.waiting
            }
            for continuation in waiting { continuation.resume(returning: status) }
        }

        func status() async -> Int32 {
            await withCheckedContinuation { continuation in
                let known: Int32? = contents.withLock { contents in
                    if contents.status == nil { contents.waiting.append(continuation) }
                    return contents.status
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
#endif
