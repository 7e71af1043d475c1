package import Foundation
import ProcessTesting

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
    private let sentinel: String?
    private var process: ChildProcess?
    /// Nobody reads it after the start. The server writes little.
    private var output: OutputPipe?

    package var socket: String { directory.appending(path: "redis.sock").path }

    /// - Parameters:
    ///   - appendOnlyFile: the folder of an append-only file from which the server starts.
    ///   - sentinel: the configuration file of a Sentinel, which this is then; nil for a server with data.
    package init(_ options: [String] = durable, appendOnlyFile: URL? = nil, sentinel: String? = nil) throws {
        // The path of a socket is short.
        directory = URL(filePath: TestDirectory.parent + "/redis-" + UUID().uuidString.prefix(13))
        self.options = options
        self.sentinel = sentinel
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        if let appendOnlyFile {
            try FileManager.default.copyItem(at: appendOnlyFile, to: directory.appending(path: "appendonlydir"))
        }
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
        let output = OutputPipe()
        var arguments = ["--port", "0", "--unixsocket", socket, "--dir", directory.path]
        if let sentinel { arguments = [sentinel] + arguments + ["--sentinel"] } else { arguments += ["--save", ""] }
        arguments += options
        process = try ChildProcess("/usr/bin/redis-server", arguments, output: output)
        self.output = output
        let ready = sentinel == nil ? "ready to accept connections" : "Sentinel ID is"
        let text = try output.read { $0.contains(ready) }
        guard text.contains(ready) else { throw DidNotStart(output: text) }
    }

    /// Kills the server at once.
    package func kill() { process?.end() }

    package func send(_ signal: Int32) { process?.send(signal) }

    /// Executes a command, and returns the lines of the reply.
    @discardableResult
    package func execute(_ arguments: String...) throws -> [String] { try execute(arguments) }

    @discardableResult
    package func execute(_ arguments: [String]) throws -> [String] {
        try RedisCall.reply(to: arguments, at: socket).split(separator: "\n").map(String.init)
    }
}
