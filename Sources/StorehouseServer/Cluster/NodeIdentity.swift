import Locks
import Security

/// How a node shows other nodes that it is one of them.
///
/// Each request between nodes has a field `Storehouse-Node` with the name of its sender, the hour, and a code that only a node with
/// the same `cluster.secret` can make, for this sender, this receiver and this hour. It is valid in the hours before and after, too,
/// by the clock of Redis. So what somebody has read of the traffic between two nodes is of no use at another node, and soon of none
/// at all.
///
/// Earlier releases left the hour out. Such a value is accepted only as long as Redis lists its sender as a node of such a release.
package final class NodeIdentity: Sendable {
    private static let maxAccepted = 4096
    private static let millisecondsOfHour = 3_600_000

    /// The proof that was accepted before.
    private struct Accepted {
        var values: [String: (node: UInt16, hour: Int)] = [:]
        /// The names of the nodes by their numbers.
        var names: [String] = []

        mutating func add(_ value: String, of name: String, _ hour: Int) -> UInt16 {
            if values.count >= maxAccepted { values = values.filter { isNear($0.value.hour, hour) } }
            if values.count >= maxAccepted { self = Accepted() }
            let node = number(of: name)
            values[value] = (node, hour)
            return node
        }

        mutating func number(of name: String) -> UInt16 {
            if names.count >= maxAccepted { self = Accepted() }
            let known = names.firstIndex(of: name)
            if known == nil { names.append(name) }
            return UInt16((known ?? names.count - 1) + 1)
        }
    }

    /// Its `cluster.address`.
    package let name: String
    private let secret: [UInt8]
    // Guards the values that were accepted before. No other lock is taken while it is held.
    private let accepted = Locked(Accepted())

    package init(name: String, secret: [UInt8]) {
        self.name = name
        self.secret = secret
    }

    /// The hour of a time in milliseconds.
    package static func hour(of time: Int) -> Int { time / millisecondsOfHour }

    private static func isNear(_ hour: Int, _ other: Int) -> Bool { (-1...1).contains(hour &- other) }

    /// The value of the field in requests to another node; empty if libcrypto cannot be loaded.
    package func credentials(for receiver: String, hour: Int) -> String {
        guard CryptoLibrary.load() == nil,
            let code = TokenSigner.code(of: Self.signed(name, receiver, hour), secret)
        else { return "" }
        return "\(name) \(hour) \(Base64URL.encode(code))"
    }

    /// The value for a node of an earlier release.
    package func olderCredentials(for receiver: String) -> String {
        guard CryptoLibrary.load() == nil, let code = TokenSigner.code(of: Self.signed(name, receiver), secret) else {
            return ""
        }
        return "\(name) \(Base64URL.encode(code))"
    }

    /// The number of the node that has made this value for this node, from 1 on; nil if none has, or not lately.
    ///
    /// - Parameter isOlder: whether a node with this name is alive that is of an earlier release.
    package func number(of value: String, hour now: Int, isOlder: (String) -> Bool = { _ in false }) -> UInt16? {
        if let (node, hour) = accepted.withLock({ $0.values[value] }) { return Self.isNear(hour, now) ? node : nil }
        let parts = value.split(separator: " ", omittingEmptySubsequences: false)
        if parts.count == 2, isOlder(String(parts[0])) { return olderNumber(of: String(parts[0]), code: parts[1]) }
        guard parts.count == 3, let hour = Int(parts[1]), String(hour) == parts[1], Self.isNear(hour, now),
            CryptoLibrary.load() == nil, let code = Base64URL.decode(parts[2].utf8),
            TokenSigner.isCode(code, of: Self.signed(String(parts[0]), name, hour), secret)
        else { return nil }
        return accepted.withLock { $0.add(value, of: String(parts[0]), hour) }
    }

    private func olderNumber(of sender: String, code: Substring) -> UInt16? {
        guard CryptoLibrary.load() == nil, let code = Base64URL.decode(code.utf8),
            TokenSigner.isCode(code, of: Self.signed(sender, name), secret)
        else { return nil }
        return accepted.withLock { $0.number(of: sender) }
    }

    /// The name of the node with a number; nil if it is forgotten.
    package func name(of number: UInt16) -> String? {
        accepted.withLock { accepted in
            let index = Int(number) - 1
            return accepted.names.indices.contains(index) ? accepted.names[index] : nil
        }
    }

    private static func signed(_ sender: String, _ receiver: String) -> [UInt8] {
        Array("storehouse node\n\(sender)\n\(receiver)".utf8)
    }

    private static func signed(_ sender: String, _ receiver: String, _ hour: Int) -> [UInt8] {
        Array("storehouse node of an hour\n\(sender)\n\(receiver)\n\(hour)".utf8)
    }
}
