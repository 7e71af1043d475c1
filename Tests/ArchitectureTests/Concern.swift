/// A concern that should have one home, and the words in code that name it.
enum Concern: String, CaseIterable {
    case shares, nodes, largeStates, durability

    /// The targets whose files are counted: the server, and where the concern has left traces.
    var targets: Set<String> {
        self == .nodes ? ["StorehouseServer", "Sessions", "HTTPServer"] : ["StorehouseServer", "Sessions"]
    }

    var title: String { self == .nodes ? "several nodes" : self == .largeStates ? "large states" : rawValue }

    /// The folders and files that a concern may live in: parts of their paths.
    var homes: [String] {
        switch self {
        case .shares:
            [
                "Sessions/Shares/", "Sessions/Permits/", "/Permit.swift", "/PermitWaits.swift", "/ClientSealer.swift",
                "/Layers/ShareView.swift", "/ShareResource", "/OpenAPI+shares.swift",
            ]
        case .nodes: ["/Cluster/"]
        case .largeStates:
            ["/WorkPool.swift", "/SessionSize.swift", "/Layers/LargeStates.swift", "/Layers/LongBodies.swift"]
        case .durability: ["/Layers/Durability.swift"]
        }
    }

    /// Whether a name in code is about the concern, for example `isByShare`, `PeerStream`, `readLargeState` or `respondDurably`.
    ///
    /// - Parameter isCalled: whether a parenthesis follows.
    func isNamed(by name: String, isCalled: Bool) -> Bool {
        switch self {
        case .shares: return !Self.words(of: name).isDisjoint(with: ["share", "shares"])
        case .nodes:
            // A connection has a peer too.
            let words = Self.words(of: name).subtracting(name == "peer" ? ["peer"] : [])
            return !words.isDisjoint(with: Self.nodeWords) || name.hasPrefix("SharedStream")
        case .largeStates:
            let words = Self.words(of: name)
            return words.contains("large") && name != "large" && !words.contains("too")
                || words.isSuperset(of: ["work", "pool"]) || name.hasPrefix("outgr")
        case .durability:
            return name == "durable" ? isCalled : !Self.words(of: name).isDisjoint(with: ["durable", "durably"])
        }
    }

    private static let nodeWords: Set = [
        "node", "nodes", "peer", "peers", "forwarded", "forwarder", "forwarding", "handover", "handovers", "cluster",
        "relayed", "multiplexer", "multiplexed",
    ]

    func isNamed(in file: SourceFile) -> Bool {
        file.tokens.indices.contains { index in
            let token = file.tokens[index]
            let isCalled = index + 1 < file.tokens.count && file.tokens[index + 1].text == "("
            return token.isWord && isNamed(by: token.text, isCalled: isCalled)
        }
    }

    /// The words of a name: `isByShare` has the words is, by and share.
    private static func words(of name: String) -> Set<String> {
        var words: Set<String> = []
        var word = ""
        for character in name {
            if character.isUppercase || character == "_" {
                words.insert(word)
                word = ""
            }
            word += character.lowercased()
        }
        words.insert(word)
        return words
    }
}
