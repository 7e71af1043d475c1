import Foundation
import JSON
import Observability
import Platform
import Sockets
import StorehouseServer
import Testing

/// The clients of a Unix socket of a server.
private struct SocketClients: TestServing {
    let path: UnixSocketPath
    let log: LogLines

    func client(receiveBuffer: Int32?) throws -> TestClient {
        let descriptor = try Dialing.connect(path: path, within: .seconds(Wire.waitTimeout))
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return TestClient(accepted: descriptor)
    }
}

/// `http.listen`: Unix sockets, further addresses, and sockets that systemd passes.
@Suite(.timeLimit(.minutes(10))) struct ListenTests {
    /// The path of a socket in a folder of its own, which is removed after `body`.
    private static func withPath(_ body: (UnixSocketPath) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "s" + UUID().uuidString.prefix(8))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(try #require(UnixSocketPath(folder.appending(path: "socket").path)))
    }

    /// A server with a Unix socket, beside its port.
    private static func withSocket(
        _ loops: LoopImplementation = .preferred, _ change: @escaping (inout Configuration) -> Void = { _ in },
        _ body: (LiveServer, SocketClients) async throws -> Void
    ) async throws {
        try await withPath { path in
            let configuration = Configuration.with {
                $0.http.listen = ["\(path)"]
                change(&$0)
            }
            try await LiveServer.run(loops: loops, configuration: configuration) { server in
                try await body(server, SocketClients(path: path, log: server.log))
            }
            #expect(!FileManager.default.fileExists(atPath: path.text))
        }
    }

    /// Acts by one connection, and watches by another.
    private static func use(_ clients: any TestServing) async throws {
        let session = try await clients.session()
        let events = try await session.events()
        #expect(try await events.state().revision == 0)
        #expect(try await session.increment().status == 200)
        #expect(try await events.states(upTo: 1).last?.revision == 1)
    }

    @Test(arguments: LoopImplementation.allCases)
    func aUnixSocketHasEverythingThatThePortHas(_ loops: LoopImplementation) async throws {
        try await Self.withSocket(loops) { server, clients in
            try await Self.use(clients)
            try await Self.use(server)
            #expect(server.log.text.contains("also listening on unix:\(clients.path.text)"))
        }
    }

    /// It is only as much to be read as the buffer of the system holds.
    @Test func aClientThatReadsNothingHoldsUpNobody() async throws {
        try await Self.withSocket { _, clients in
            let session = try await clients.session()
            let silent = try await session.events()
            for _ in 0..<20 { #expect(try await session.increment().status == 200) }
            #expect(try await silent.states(upTo: 20).last?.revision == 20)
        }
    }

    @Test func theClientIsThatOfForwardedIfUnixIsTrusted() async throws {
        for isTrusted in [false, true] {
            let change: (inout Configuration) -> Void = {
                $0.log.access = .all
                $0.log.format = .json
                $0.http.trustedProxies = isTrusted ? ["unix"] : []
            }
            try await Self.withSocket(.preferred, change) { server, clients in
                _ = try await clients.get("/stores", [("Forwarded", "for=192.0.2.7;host=site.example;proto=https")])
                let line = try #require(try server.log.accessLines().last)
                #expect(line["client"] == (isTrusted ? "192.0.2.7" : "unix"))
                let origin = [("Origin", "https://site.example"), ("Forwarded", "host=site.example;proto=https")]
                let response = try await clients.send(TestRequest("POST", "/sessions", origin))
                #expect(response.status == (isTrusted ? 201 : 403))
            }
        }
    }

    /// A page that rebinds its name reaches a port of this machine, and no Unix socket.
    @Test func aProxyMayPassOnTheHostOfItsSite() async throws {
        try await Self.withSocket { server, clients async throws in
            #expect(try await Self.status(of: clients) == 200)
            #expect(try await Self.status(of: server) == 421)
        }
        let change: (inout Configuration) -> Void = { $0.http.allowedHosts = ["localhost"] }
        try await Self.withSocket(.preferred, change) { _, clients async throws in
            #expect(try await Self.status(of: clients) == 421)
        }
    }

    /// The status of a request for another host.
    private static func status(of clients: any TestServing) async throws -> Int {
        let client = try clients.client()
        try await client.send("GET /stores HTTP/1.1\r\nHost: site.example\r\n\r\n")
        return try await client.response().status
    }

    @Test func aFileThatCannotBeUsedIsToldWithWhatToDo() async throws {
        try await Self.withPath { path in
            try Data().write(to: URL(filePath: path.text))
            for (text, reason) in [
                (path.text, "a file that is no socket is not replaced, so remove it, or set another http.listen"),
                (path.text + "s/socket", "make its directory first, or set another http.listen"),
            ] {
                let configuration = Configuration.with { $0.http.listen = ["unix:\(text)"] }
                let error = await #expect(throws: (any Error).self) {
                    try await LiveServer.run(configuration: configuration) { _ in }
                }
                let message = error.map { "\($0)" } ?? ""
                #expect(message.hasPrefix("cannot listen on unix:\(text): ") && message.hasSuffix(reason), "\(message)")
            }
        }
    }

    // ---- Further ports, and systemd

    @Test func furtherPortsServeToo() async throws {
        let free = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
        free.close()
        let configuration = Configuration.with { $0.http.listen = ["127.0.0.1:\(free.address.port)"] }
        try await LiveServer.run(configuration: configuration) { server in
            #expect(server.log.text.contains("also listening on http://\(free.name)"))
            let client = try TestClient(port: Int(free.address.port))
            #expect(try await client.exchange(TestRequest("GET", "/healthz")).status == 200)
        }
    }

    @Test func aSocketOfSystemdTakesThePlaceOfOurOwn() throws {
        let passed = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
        let other = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
        var http = Configuration.with().http
        http.port = Int(passed.address.port)
        let listeners = try ClientListeners(http, inherited: [other, passed])
        #expect(listeners.addresses.count == 3)
        let opened = try listeners.open(count: 2, unacknowledgedTime: .seconds(60))
        defer { for socket in opened.joined() { socket.close() } }
        #expect(opened.map { $0.map(\.name) } == [[passed.name, passed.name], [other.name, other.name]])
        #expect(opened[0][0].descriptor == passed.descriptor)
    }

    #if os(Linux)
        /// Starts the program as systemd does: with a socket as descriptor 3.
        @Test func theProgramTakesTheSocketsOfSystemd() async throws {
            try await Self.withPath { path in
                let start = """
                    import os, socket, sys
                    server = socket.socket(socket.AF_UNIX)
                    server.bind(sys.argv[1])
                    server.listen()
                    if server.fileno() != 3: os.dup2(server.fileno(), 3)
                    os.set_inheritable(3, True)
                    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
                    os.execv(sys.argv[2], [sys.argv[2], "serve"])
                    """
                try await ServerProcess.run(startedBy: ["/usr/bin/python3", "-c", start, path.text]) { server in
                    try await Self.use(SocketClients(path: path, log: server.log))
                    #expect(server.log.text.contains("also listening on \(path)"))
                }
                // It belongs to systemd, which listens on.
                #expect(FileManager.default.fileExists(atPath: path.text))
            }
        }
    #endif
}
