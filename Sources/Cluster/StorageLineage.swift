/// Decides whether a Redis server has all commits that nodes have acknowledged or seen.
///
/// How many writes there are does not tell that: after a loss, new writes bring the number up again. So the storage has a record of
/// the eras of its servers, each with the number of writes at its beginning. Redis names its data with a replication id, and takes
/// another one when it is started, and when a replica is promoted. A node that knew more writes of an earlier era than there were
/// when the next one began has seen commits that are lost, however many there are now.
///
/// Redis also takes another replication id while it runs, when it gets its first replica and an hour after it had the last one. It
/// loses nothing then, and nodes go on writing under the id before until they notice.
///
/// If no node is left that knew the lost commits, only the promotion tells: a promoted replica may lack the newest commits, unless
/// replicas confirm each of them.
package struct StorageLineage: Sendable, Equatable {
    /// The time in which one server had the data, with one replication id.
    package struct Era: Sendable, Equatable {
        package let id: String
        /// Where the server is, as far as it tells.
        package let place: String
        /// How many batches of writes the storage had counted when a node first saw this era; the greatest number if the server
        /// has only taken another id, so that it has all writes of the era before.
        package let start: Int
        /// Whether commits are lost, or may be, so that all histories have had other names since.
        package var isLossy: Bool

        package init(id: String, place: String, start: Int, isLossy: Bool) {
            (self.id, self.place, self.start, self.isLossy) = (id, place, start, isLossy)
        }
    }

    /// A server, as it describes itself.
    package struct Server: Sendable, Equatable {
        package let id: String
        /// The replication id before this one, if the server was a replica; nil if it has begun with this id.
        let formerID: String?
        let place: String

        /// - Parameters:
        ///   - id: has no spaces and colons, like the next ones.
        ///   - place: the same after a restart.
        package init(id: String, formerID: String?, place: String) {
            (self.id, self.formerID, self.place) = (id, formerID, place)
        }
    }

    /// The newest writes that a node knows.
    package struct Witness: Sendable, Equatable {
        package let era: String
        package let count: Int

        package init(era: String, count: Int) { (self.era, self.count) = (era, count) }
    }

    /// How the storage is used.
    package struct Terms: Sendable {
        let replicas: Int
        let isRelaxed: Bool

        /// - Parameters:
        ///   - replicas: how many replicas have each acknowledged commit.
        ///   - isRelaxed: whether a server that is started again may lack the newest commits.
        package init(replicas: Int, isRelaxed: Bool) { (self.replicas, self.isRelaxed) = (replicas, isRelaxed) }
    }

    /// How many eras are on record. A node that was away for longer counts as one that has seen lost commits.
    package static let limit = 16

    /// The newest last.
    package private(set) var eras: [Era] = []
    /// Whether there is a record that cannot be read.
    private var isDamaged = false

    /// No server has had the data.
    package init() {}

    /// - Parameter text: the record as it is stored.
    package init(stored text: String) {
        let words = text.split(separator: " ")
        eras = words.compactMap(Era.init)
        isDamaged = eras.count != words.count
    }

    /// The record as it is stored.
    package var stored: String { eras.map(\.stored).joined(separator: " ") }

    /// A node has connected to a server.
    ///
    /// - Parameters:
    ///   - count: how many batches of writes the storage has counted.
    ///   - isSameRun: whether the process of the server is the one in which a node has opened the data before; nil if none has.
    ///     Data of an earlier release know the process, and have no record.
    ///   - witness: nil if the node knows no writes.
    /// - Returns: whether commits are lost, or may be. Then all histories get other names.
    package mutating func begin(
        at server: Server, count: Int, isSameRun: Bool?, witness: Witness?, _ terms: Terms
    ) -> Bool {
        let isMissing = isDamaged || witness.map { misses($0, count) } ?? false
        isDamaged = false
        if let current = eras.last, current.id == server.id {
            if isMissing { eras[eras.count - 1].isLossy = true }
            return isMissing
        }
        let isRenamed = !eras.isEmpty && isSameRun == true && server.formerID == nil
        let isOther = eras.isEmpty ? isSameRun == false : !isRenamed
        let isLossy = isMissing || isOther && mayLack(server, terms)
        eras.append(Era(id: server.id, place: server.place, start: isRenamed ? .max : count, isLossy: isLossy))
        eras.removeFirst(max(0, eras.count - Self.limit))
        return isLossy
    }

    /// Whether a server that has another era than the newest on record may lack acknowledged commits.
    private func mayLack(_ server: Server, _ terms: Terms) -> Bool {
        if terms.isRelaxed { return true }
        let isPromoted = server.formerID != nil || eras.last.map { $0.place != server.place } ?? false
        return isPromoted && terms.replicas == 0
    }

    /// Whether writes are lost that a node knows, and no other node has found that.
    private func misses(_ witness: Witness, _ count: Int) -> Bool {
        guard let index = eras.lastIndex(where: { $0.id == witness.era }) else { return true }
        let later = eras[(index + 1)...]
        if later.contains(where: \.isLossy) { return false }
        return witness.count > later.reduce(count) { min($0, $1.start) }
    }
}

extension StorageLineage.Era {
    fileprivate var stored: String { "\(id):\(place):\(start):\(isLossy ? 1 : 0)" }

    fileprivate init?(_ word: Substring) {
        let fields = word.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 4, !fields[0].isEmpty, let start = Int(fields[2]), ["0", "1"].contains(fields[3]) else {
            return nil
        }
        self.init(id: String(fields[0]), place: String(fields[1]), start: start, isLossy: fields[3] == "1")
    }
}
