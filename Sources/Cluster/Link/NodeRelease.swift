/// The release of a node, as it says at the beginning of a connection, with a mark of the settings that all nodes must have in common.
///
/// Both ends sign it; see ``LinkVersion``. Nodes without such a mark take it for a part of the release.
package struct NodeRelease: Sendable, Hashable {
    private static let separator = "+settings."

    /// It has no spaces.
    package let text: String
    /// Nil for a node that does not say.
    private let settings: Substring?

    /// - Parameter settings: a mark of the settings; nil for none that matter.
    package init(_ version: String, settings: String?) {
        self.init(text: version + (settings.map { Self.separator + $0 } ?? ""))
    }

    /// Reads the release that another node has sent.
    package init(text: String) {
        self.text = text
        settings = text.ranges(of: Self.separator).last.map { text[$0.upperBound...] }
    }

    /// Whether both nodes say which settings they have, and not the same.
    package func differs(from other: NodeRelease) -> Bool {
        guard let settings, let others = other.settings else { return false }
        return settings != others
    }
}
