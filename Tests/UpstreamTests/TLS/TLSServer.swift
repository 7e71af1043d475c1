import Dispatch
import FaultyServices
import Locks
import Platform

/// A service behind TLS: `openssl s_server`, one connection at a time.
final class TLSServer: Sendable {
    let port: UInt16
    /// The bytes that the client sends come out here. Bytes that go in are sent to the client, unless openssl answers
    /// by itself.
    let channel: Int32
    private let program: Program

    var url: String { "https://127.0.0.1:\(port)/" }

    /// Waits until it listens.
    ///
    /// - Parameters:
    ///   - certificate: the name of the certificate that it shows.
    ///   - options: of `openssl s_server`: `-www` answers every request with 200.
    init(_ certificates: Certificates, _ certificate: String, _ options: String...) async throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, TestSocket.stream, 0, &ends) == 0 else {
            throw TestSocket.Failure(call: "socketpair", code: errno)
        }
        let channel = ends[0]
        let script = """
            cd "$1"
            certificate=$2
            shift 2
            exec openssl s_server -accept 127.0.0.1:0 -cert $certificate.pem -key $certificate.key "$@"
            """
        do {
            program = try Program(script, [certificates.folder, certificate] + options, channel: ends[1])
        } catch {
            TestSocket.shut(channel)
            TestSocket.shut(ends[1])
            throw error
        }
        TestSocket.shut(ends[1])
        self.channel = channel
        // The port stands in the line that says that it listens. The wait needs a queue of its own: Swift's tasks and
        // `DispatchQueue.global()` share their threads on Linux.
        let text = await Promise.value { done in
            DispatchQueue(label: "openssl").async { done(Self.announcement(channel)) }
        }
        guard let port = text.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            program.end()
            TestSocket.shut(channel)
            throw Program.Failure(script: text, status: -1)
        }
        self.port = port
    }

    deinit {
        program.end()
        TestSocket.shut(channel)
    }

    private static func announcement(_ channel: Int32) -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while recv(channel, &byte, 1, 0) == 1 {
            if byte != UInt8(ascii: "\n") {
                line.append(byte)
            } else if line.starts(with: "ACCEPT ".utf8) {
                return String(decoding: line, as: UTF8.self)
            } else {
                line = []
            }
        }
        return String(decoding: line, as: UTF8.self)
    }
}
