import Foundation
import Glibc
import Sockets
import Testing
import Threads

@Suite(.timeLimit(.minutes(5))) struct UnixListenerTests {
    /// A path in a folder of its own, which is removed after `body`.
    private static func withPath(_ body: (UnixSocketPath) async throws -> Void) async throws {
        var template = Array("/tmp/socketXXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(try #require(UnixSocketPath(folder + "/socket")))
    }

    private static func mode(_ path: UnixSocketPath) -> mode_t? {
        var status = stat()
        return lstat(path.text, &status) == 0 ? status.st_mode : nil
    }

    @Test func aPathIsAbsoluteAndShort() {
        let longest = "/" + String(repeating: "a", count: UnixSocketPath.maxBytes - 1)
        #expect(UnixSocketPath(longest)?.text == longest)
        for wrong in ["", "a", "./a", "@a", longest + "a", "/a\0b"] {
            #expect(UnixSocketPath(wrong) == nil, "\(wrong)")
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func acceptsOnEveryLoop(_ implementation: LoopImplementation) async throws {
        try await Self.withPath { path in
            let sockets = try ListeningSocket.open(path, count: 2)
            #expect(sockets.map(\.name) == ["unix:\(path.text)", "unix:\(path.text)"])
            #expect(Self.mode(path).map { $0 & 0o7777 } == 0o660)
            for socket in sockets {
                try await withLoop(implementation) { loop in
                    let peers = Probe<SocketAddress>()
                    loop.execute {
                        _ = try? Listener(socket, on: loop) { accepted in
                            peers.note(accepted.peer)
                            accepted.close()
                        }
                    }
                    let client = try Dialing.connect(path: path, within: .seconds(60))
                    defer { Dialing.close(client) }
                    let peer = try #require(await peers.next())
                    #expect(peer.isUnix && peer.ipv6Bits == 0)
                }
            }
            // The loops have closed both descriptors.
            #expect(throws: SocketError.system(call: "connect", code: ECONNREFUSED)) {
                try Dialing.connect(path: path, within: .seconds(60))
            }
            sockets[0].file?.remove()
            #expect(Self.mode(path) == nil)
        }
    }

    @Test func aClientWithANameOfItsOwnIsAccepted() async throws {
        try await Self.withPath { path in
            let socket = try ListeningSocket.open(path, count: 1)[0]
            try await withLoop(.preferred) { loop in
                let peers = Probe<SocketAddress>()
                loop.execute {
                    _ = try? Listener(socket, on: loop) { accepted in
                        peers.note(accepted.peer)
                        accepted.close()
                    }
                }
                // A socket that is bound tells its path, which is longer than any address of a network.
                let name = try #require(UnixSocketPath(path.text + String(repeating: "n", count: 70)))
                let server = try ListeningSocket.open(name, count: 1)[0]
                defer { server.close() }
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.text.utf8) }
                let client = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                defer { close(client) }
                unlink(name.text)
                var own = address
                withUnsafeMutableBytes(of: &own.sun_path) { $0.copyBytes(from: name.text.utf8) }
                let size = socklen_t(MemoryLayout<sockaddr_un>.size)
                let isConnected = withUnsafePointer(to: &own) { own in
                    withUnsafePointer(to: &address) { address in
                        own.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(client, $0, size) } == 0
                            && address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, size) }
                                == 0
                    }
                }
                #expect(isConnected)
                #expect(await peers.next()?.isUnix == true)
            }
        }
    }

    @Test func onlyAFileThatIsLeftBehindIsReplaced() async throws {
        try await Self.withPath { path in
            let first = try ListeningSocket.open(path, count: 1)[0]
            #expect(throws: SocketError.system(call: "cannot listen on \(path)", code: EADDRINUSE)) {
                try ListeningSocket.open(path, count: 1)
            }
            // As after a process that was killed.
            Glibc.close(first.descriptor)
            let second = try ListeningSocket.open(path, count: 1)[0]
            // It is not the file of the first one any more.
            first.file?.remove()
            #expect(Self.mode(path) != nil)
            second.close()
            #expect(Self.mode(path) == nil)
        }
    }

    @Test func aFileThatIsNoSocketStays() async throws {
        try await Self.withPath { path in
            try Data("mine".utf8).write(to: URL(filePath: path.text))
            #expect(throws: SocketError.system(call: "cannot listen on \(path)", code: ENOTSOCK)) {
                try ListeningSocket.open(path, count: 1)
            }
            #expect(try String(contentsOfFile: path.text, encoding: .utf8) == "mine")
            let lost = try #require(UnixSocketPath(path.text + "s/socket"))
            #expect(throws: SocketError.system(call: "cannot listen on \(lost)", code: ENOENT)) {
                try ListeningSocket.open(lost, count: 1)
            }
        }
    }

    // ---- Sockets that another process has opened

    private static func inherited(_ descriptor: Int32, id: Int32 = getpid(), count: String = "1") throws
        -> [ListeningSocket]
    {
        let variables = ["LISTEN_PID": "\(id)", "LISTEN_FDS": count]
        return try ListeningSocket.inherited(environment: { variables[$0] }, first: descriptor)
    }

    @Test func socketsOfSystemdAreFound() async throws {
        try await Self.withPath { path in
            let unix = try ListeningSocket.open(path, count: 1)[0]
            defer { unix.close() }
            let found = try Self.inherited(unix.descriptor)
            #expect(found.map(\.name) == ["\(path)"] && found.first?.file == nil)
            let tcp = try ListeningSocket.open(SocketAddress(host: "127.0.0.1", port: 0), count: 1)[0]
            defer { tcp.close() }
            #expect(try Self.inherited(tcp.descriptor).map(\.name) == [tcp.name])
            // The variables are those of a parent process, or wrong.
            #expect(try Self.inherited(tcp.descriptor, id: getppid()).isEmpty)
            for count in ["", "0", "-1", "x", "5000"] {
                #expect(try Self.inherited(tcp.descriptor, count: count).isEmpty)
            }
        }
    }

    @Test func aDescriptorThatDoesNotListenIsRefused() throws {
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { for end in pair { close(end) } }
        #expect(throws: SocketError.self) { try Self.inherited(pair[0]) }
        #expect(throws: SocketError.self) { try Self.inherited(1 << 20) }
    }
}
