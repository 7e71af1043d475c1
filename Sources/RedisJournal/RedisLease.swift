import Cluster
import Platform

/// The answer of the script `open`.
enum RedisLease: Sendable, Equatable {
    struct Opened: Sendable, Equatable {
        /// How many batches of writes the storage has counted.
        let writeCount: Int
        let sessions: Int
        /// Names the newest loss of acknowledged commits; 0 if there was none.
        let lineageID: Int
        let check: [UInt8]
        /// The check value of the secret of the nodes; empty if there was no node yet.
        let secretCheck: [UInt8]
        /// Whether the data differ from the data with which the connection was opened.
        let hasLost: Bool
        /// The addresses of the nodes whose leases hold.
        let nodes: Set<String>
        /// The other incarnations with the node's address, and when their leases end by the clock of Redis.
        let namesakes: [Int: Int]
        /// The time by the clock of Redis, in milliseconds.
        let time: Int
        /// The run id of the server that had the data when a connection was opened last; empty if there was none.
        let runID: String
        /// The record of the eras.
        let storedLineage: String
        /// When the leases of nodes of an earlier release end, by their addresses.
        let earlierNodes: [String: Int]
        /// Whether the lists of subjects have the owners of all sessions.
        let hasOwners: Bool

        var lineage: StorageLineage { StorageLineage(stored: storedLineage) }
    }

    case opened(Opened)
    /// The node's lease has ended.
    case forgotten
    /// Another release has written it.
    case layout(String)
    /// Another node has changed the record of the eras since it was read.
    case changed

    /// The layout of the keys that this release writes. It opens 3 and 4, too, once no node of an earlier release is left.
    static let layout = "5"

    /// Nil if it is no such answer.
    init?(_ reply: RedisReply) {
        guard let fields = reply.array, let word = fields.first?.text else { return nil }
        switch word {
        case "OK":
            guard fields.count == 14, let writeCount = fields[1].integer, let sessions = fields[2].integer,
                let lineageID = fields[3].integer, let check = fields[4].bytes, let secretCheck = fields[5].bytes,
                let nodes = fields[7].array, let namesakes = fields[8].array?.map({ $0.integer ?? 0 }),
                let time = fields[9].integer, let runID = fields[10].text, let lineage = fields[11].text,
                let earlier = fields[12].array
            else { return nil }
            let pairs = stride(from: 0, to: namesakes.count - 1, by: 2).map { (namesakes[$0], namesakes[$0 + 1]) }
            let ends = stride(from: 0, to: earlier.count - 1, by: 2).map {
                (earlier[$0].text ?? "", earlier[$0 + 1].integer ?? 0)
            }
            self = .opened(
                Opened(
                    writeCount: writeCount, sessions: sessions, lineageID: lineageID, check: check,
                    secretCheck: secretCheck,
                    hasLost: fields[6].integer == 1, nodes: Set(nodes.compactMap(\.text)),
                    namesakes: Dictionary(pairs) { first, _ in first }, time: time, runID: runID,
                    storedLineage: lineage, earlierNodes: Dictionary(ends) { max($0, $1) },
                    hasOwners: fields[13].integer == 1))
        case "FORGOTTEN": self = .forgotten
        case "CHANGED": self = .changed
        case "LAYOUT": self = .layout(fields.dropFirst().first?.text ?? "")
        default: return nil
        }
    }

    /// The task of the script: to register or renew the lease of a process, or to leave it as it is.
    enum Mode: String {
        case register, renew
        /// Records the era of the server, and leaves the lease as it is.
        case check
        /// Changes nothing.
        case read
    }

    /// The words of a process about the era of the server.
    struct Change {
        var runID = ""
        var era = ""
        /// Whether all histories get other names.
        var isLoss = false
        /// The record of the eras as it was read.
        var old = ""
        var new = ""
    }

    /// The arguments of the script.
    ///
    /// - Parameters:
    ///   - incarnation: that of the node; 0 if the lease does not matter.
    ///   - known: how many batches of writes this process knows; nil if it does not matter.
    ///   - checks: the sealed check values of the key and of the secret; empty if they do not matter.
    static func arguments(
        _ settings: RedisSettings, _ mode: Mode, incarnation: Int = 0, known: Int? = nil, _ change: Change,
        checks: (key: [UInt8], secret: [UInt8]) = ([], [])
    ) -> RedisArguments {
        var arguments = RedisArguments([
            String(incarnation), String(settings.node?.lease.wholeMilliseconds ?? 0), known.map(String.init) ?? "",
            change.runID, change.era,
        ])
        arguments.add(checks.key)
        let loss = change.isLoss ? String(randomNumber()) : ""
        for word in [mode.rawValue, Self.layout, loss, settings.node?.address ?? ""] { arguments.add(word) }
        arguments.add(checks.secret)
        for word in [change.old, change.new] { arguments.add(word) }
        return arguments
    }

    /// A number of an incarnation or of a loss. Random, because a counter goes back with the data after a failover, and begins again where
    /// a backup ends. Lua represents it exactly.
    static func randomNumber() -> Int { Int.random(in: 1..<1 << 53) }
}
