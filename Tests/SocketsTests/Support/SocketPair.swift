import Glibc
import Sockets

/// Two connected sockets. `deinit` closes `ours`; the test must close `theirs` or pass it on.
final class SocketPair: Sendable {
    let ours: Int32
    let theirs: Int32

    /// - Parameter records: whether each write stays one read (`SOCK_SEQPACKET`).
    init(records: Bool = false) {
        var pair: [Int32] = [0, 0]
        let kind = records ? SOCK_SEQPACKET : SOCK_STREAM
        let code = socketpair(AF_UNIX, Int32(kind.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair)
        precondition(code == 0, "no socket pair")
        (ours, theirs) = (pair[0], pair[1])
    }

    deinit {
        close(ours)
    }

    func send(_ bytes: [UInt8]) {
        _ = Glibc.send(ours, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Whether a record has arrived that is not read.
    var hasReceived: Bool {
        var byte: UInt8 = 0
        return recv(ours, &byte, 1, Int32(MSG_PEEK)) > 0
    }

    /// The received records. Does not wait.
    func received() -> [String] {
        var records: [String] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(ours, &buffer, buffer.count, 0), count > 0 {
            records.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
        return records
    }
}
