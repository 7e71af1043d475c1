package import Cluster
import Locks

/// The name of a node, and what proves to other nodes that it is one of them.
///
/// Each connection between nodes is proved once, at its beginning, by both ends: see ``LinkVersion``.
package final class NodeIdentity: Sendable {
    private static let maxNames = 4096

    /// Its `cluster.address`.
    package let name: String
    let release: NodeRelease
    private let secret: LinkSecret
    // Guards the names of other nodes, in the order of their numbers. No other lock is taken while it is held.
    private let names = Locked([String]())

    /// - Parameter settings: a mark of the settings that all nodes must have in common; nil for none.
    package init(name: String, secret: [UInt8], settings: String? = nil) {
        self.name = name
        release = NodeRelease(StorehouseVersion.current, settings: settings)
        self.secret = LinkSecret(secret)
    }

    /// Begins a connection to another node.
    package func call(_ other: String) throws(LinkVersion.Failure) -> LinkCaller {
        try LinkCaller(secret, from: name, to: other, release: release.text)
    }

    /// Answers another node that begins a connection.
    package func answer(_ hello: String) throws(LinkVersion.Failure) -> LinkAnswerer {
        try LinkAnswerer(secret, hello, at: name, release: release.text)
    }

    /// The number of a node that has proved its name, from 1 on.
    package func number(of node: String) -> UInt16 {
        names.withLock { names in
            if let index = names.firstIndex(of: node) { return UInt16(index + 1) }
            if names.count >= Self.maxNames { names = [] }
            names.append(node)
            return UInt16(names.count)
        }
    }

    /// The name of the node with a number; nil if it is forgotten.
    package func name(of number: UInt16) -> String? {
        names.withLock { names in
            let index = Int(number) - 1
            return names.indices.contains(index) ? names[index] : nil
        }
    }
}
