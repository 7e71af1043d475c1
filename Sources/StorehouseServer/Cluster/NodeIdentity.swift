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
    // Guards the values that were accepted before.
    private let accepted = Locked<Set<String>>([])

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

    /// Whether another node has made this value for this node.
    package func accepts(_ value: String) -> Bool {
        if accepted.withLock({ $0.contains(value) }) { return true }
        let parts = value.split(separator: " ", omittingEmptySubsequences: false)
        guard CryptoLibrary.load() == nil, parts.count == 2, let code = Base64URL.decode(parts[1].utf8),
            TokenSigner.isCode(code, of: Self.signed(String(parts[0]), name), secret)
        else { return false }
        accepted.withLock { accepted in
            if accepted.count >= Self.maxAccepted { accepted = [] }
            accepted.insert(value)
        }
        return true
    }

    private static func signed(_ sender: String, _ receiver: String) -> [UInt8] {
        Array("storehouse node\n\(sender)\n\(receiver)".utf8)
    }
}
