import Access
import Locks

/// How a node shows other nodes that it is one of them.
///
/// Each request between nodes has a field `Storehouse-Node` with the name of its sender, and a code that only a node with the same
/// `cluster.secret` can make, for this sender and this receiver.
package final class NodeIdentity: Sendable {
    private static let maxAccepted = 4096

    /// Its `cluster.address`.
    package let name: String
    private let secret: [UInt8]
    // Guards the values that were accepted before, by which node, and the names of the nodes by their numbers.
    private let accepted = Locked<(values: [String: UInt16], names: [String])>(([:], []))

    package init(name: String, secret: [UInt8]) {
        self.name = name
        self.secret = secret
    }

    /// The value of the field in requests to another node; empty if libcrypto cannot be loaded.
    package func credentials(for receiver: String) -> String {
        guard CryptoLibrary.load() == nil, let code = TokenSigner.code(of: Self.signed(name, receiver), secret) else {
            return ""
        }
        return "\(name) \(Base64URL.encode(code))"
    }

    /// The number of the node that has made this value for this node, from 1 on; nil if none has.
    package func number(of value: String) -> UInt16? {
        if let number = accepted.withLock({ $0.values[value] }) { return number }
        let parts = value.split(separator: " ", omittingEmptySubsequences: false)
        guard CryptoLibrary.load() == nil, parts.count == 2, let code = Base64URL.decode(parts[1].utf8),
            TokenSigner.isCode(code, of: Self.signed(String(parts[0]), name), secret)
        else { return nil }
        return accepted.withLock { accepted in
            if accepted.names.count >= Self.maxAccepted { accepted = ([:], []) }
            accepted.names.append(String(parts[0]))
            accepted.values[value] = UInt16(accepted.names.count)
            return UInt16(accepted.names.count)
        }
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
}
