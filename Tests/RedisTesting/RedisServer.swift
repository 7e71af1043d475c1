package import Foundation

/// A redis-server with a directory of its own, both of which go with this.
package final class RedisServer: @unchecked Sendable {
    // Sendable, because each test uses its own from one task.
    package struct DidNotStart: Error {
        let output: String
    }

    package struct NoPort: Error {}

    package static let durable = ["--appendonly", "yes", "--appendfsync", "always"]

    package let directory: URL
    private let options: [String]
    private var process: Process?

    package var socket: String { directory.appending(path: "redis.sock").path }

    package init(_ options: [String] = durable) throws {
        // The path of a socket is short.
        directory = URL(filePath: "/tmp/redis-" + UUID().uuidString.prefix(13))
        self.options = options
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try start()
    }

    /// Starts one that listens on a TCP port of the loopback address too.
    package static func startOnPort(_ options: (Int) -> [String] = { _ in [] }) throws -> (RedisServer, port: Int) {
        for _ in 0..<20 {
            let port = Int.random(in: 20_000..<32_000)
            let all = ["--port", "\(port)"] + durable + options(port)
            // The port may be in use.
            if let server = try? RedisServer(all) { return (server, port) }
        }
        throw NoPort()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts the server with what it has stored, and waits until it is ready.
    package func start() throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/redis-server")
        process.arguments =
            ["--port", "0", "--unixsocket", socket, "--dir", directory.path, "--save", ""] + options
        process.standardOutput = output
        // Who reads the output of the tests would wait for a server that outlives them.
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        var text = ""
        while !text.contains("ready to accept connections") {
            let some = output.fileHandleForReading.availableData
            guard !some.isEmpty else { throw DidNotStart(output: text) }
            text += String(decoding: some, as: UTF8.self)
        }
        // Nobody reads more of it, and the server writes little.
    }

    /// Kills the server at once.
    package func kill() {
        guard let process, process.isRunning else { return }
        send(SIGKILL)
        process.waitUntilExit()
    }

    package func send(_ signal: Int32) {
        if let process { Foundation.kill(process.processIdentifier, signal) }
    }

    /// Executes a command, and returns the lines of the reply.
    @discardableResult
    package func execute(_ arguments: String...) throws -> [String] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/redis-cli")
        process.arguments = ["-s", socket] + arguments
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
