import JSON
import Locks
import Security

/// How a node of an earlier release proves to other nodes that it is one of them.
///
/// Each of its requests has a code in the field `Storehouse-Node` that only a node with the same `cluster.secret` can make, for this
/// sender and this receiver. Whoever reads the traffic can repeat it. So such a code is accepted only as long as Redis lists its
/// sender as a node of such a release, and is sent only to one.
package final class EarlierProofs: Sendable {
    /// The ways, by the numbers that Redis lists. Later ones are not earlier.
    package enum Way: Int, Sendable {
        /// The code is valid for ever.
        case undated = 1
        /// The code is valid for an hour, and in the hours before and after, by the clock of Redis.
        case hourly = 2
    }

    private static let maxAccepted = 4096
    private static let millisecondsOfHour = 3_600_000

    private let name: String
    private let secret: [UInt8]
    // Guards the codes that were accepted before, with their senders. No other lock is taken while it is held.
    private let accepted = Locked<[String: String]>([:])

    package init(_ name: String, secret: [UInt8]) {
        self.name = name
        self.secret = secret
    }

    /// The value of the field in a request to a node of such a release; empty if libcrypto cannot be loaded.
    ///
    /// - Parameter now: the time in milliseconds.
    package func field(for receiver: String, _ way: Way, now: Int) -> String {
        let hour = now / Self.millisecondsOfHour
        let signed = Self.signed(name, receiver, way == .hourly ? hour : nil)
        guard CryptoLibrary.load() == nil, let code = TokenSigner.code(of: signed, secret) else { return "" }
        let text = Base64URL.encode(code)
        return way == .hourly ? "\(name) \(hour) \(text)" : "\(name) \(text)"
    }

    /// The node that has made this value for this node; nil if none has, or not lately.
    ///
    /// - Parameter way: how a node with a name proves itself; nil if it does so at the beginning of a connection.
    package func sender(of field: String, now: Int, _ way: (String) -> Way?) -> String? {
        let words = field.split(separator: " ", omittingEmptySubsequences: false)
        guard let sender = words.first.map(String.init), let code = words.last, let way = way(sender) else {
            return nil
        }
        var hour: Int?
        switch way {
        case .undated: guard words.count == 2 else { return nil }
        case .hourly:
            hour = words.count == 3 ? Int(words[1]) : nil
            guard let hour, String(hour) == words[1], Self.isNear(hour, now / Self.millisecondsOfHour) else {
                return nil
            }
        }
        if accepted.withLock({ $0[field] }) == sender { return sender }
        guard CryptoLibrary.load() == nil, let code = Base64URL.decode(code.utf8),
            TokenSigner.isCode(code, of: Self.signed(sender, name, hour), secret)
        else { return nil }
        accepted.withLock { values in
            if values.count >= Self.maxAccepted { values = [:] }
            values[field] = sender
        }
        return sender
    }

    private static func isNear(_ hour: Int, _ other: Int) -> Bool { (-1...1).contains(hour &- other) }

    private static func signed(_ sender: String, _ receiver: String, _ hour: Int?) -> [UInt8] {
        guard let hour else { return Array("storehouse node\n\(sender)\n\(receiver)".utf8) }
        return Array("storehouse node of an hour\n\(sender)\n\(receiver)\n\(hour)".utf8)
    }
}
