import Cluster

/// How a node shows another one that its requests come from a node.
enum NodeProof {
    /// Each connection is proved once, by both ends.
    case link(NodeIdentity)
    /// Each request has this value in its field `Storehouse-Node`.
    case field(String)

    private static let greeting = "hello "

    /// The value of the field in the request that begins a connection.
    static func greeting(_ caller: LinkCaller) -> String { greeting + caller.hello }

    /// The hello in such a value; nil if it is another value.
    static func hello(in field: String) -> String? {
        field.hasPrefix(greeting) ? String(field.dropFirst(greeting.count)) : nil
    }

    /// The value of the field in each request that is forwarded.
    var field: String {
        switch self {
        case .link: "linked"
        case .field(let value): value
        }
    }

    var isLink: Bool { if case .link = self { true } else { false } }
}
