import Cluster
import Locks
import StoreHosting

// Opens the storage on a server, and finds out whether it has lost commits.
extension RedisHandshake {
    /// How often the storage is looked at if other nodes open it at the same time.
    private static let maxJoins = 10

    /// Why the storage is not opened.
    struct Stop: Error {
        let outcome: Outcome
    }

    /// Opens the storage, and records the era of the server, unless it is only looked at. Then all nodes learn of a loss.
    func join(
        _ facts: RedisFacts, _ call: (RedisArguments) throws -> RedisReply
    ) throws -> Result<RedisLease.Opened, Stop> {
        guard let check = settings.sealer.seal(Self.text),
            let secretCheck = settings.sealer.seal(settings.node?.secretCode ?? [])
        else { return .failure(Stop(outcome: .refused("storage.key cannot be used"))) }
        for _ in 0..<Self.maxJoins {
            let found = opened(by: try call(RedisLease.arguments(settings, .read, RedisLease.Change())))
            guard !isReader, case .success(let found?) = found else { return found.flatMap(Self.present) }
            if settings.node != nil, let stop = stop(for: found.earlierNodes) { return .failure(stop) }
            var lineage = found.lineage
            let isLoss = lineage.begin(
                at: facts.server, count: found.writeCount,
                isSameRun: found.runID.isEmpty ? nil : found.runID == facts.runID, witness: known, settings.terms)
            let change = RedisLease.Change(
                runID: facts.runID, era: facts.server.id, isLoss: isLoss, old: found.storedLineage,
                new: lineage.stored)
            // A node gets its lease later: the time of the request counts.
            let arguments = RedisLease.arguments(
                settings, .check, change, checks: (check, settings.node == nil ? [] : secretCheck))
            switch opened(by: try call(arguments)) {
            case .success(nil): continue
            case let joined: return joined.flatMap(Self.present)
            }
        }
        return .failure(Stop(outcome: .failed("other nodes open it at the same time")))
    }

    /// Why the node cannot take part yet, or not at all, because of nodes of an earlier release.
    private func stop(for ends: [String: Int]) -> Stop? {
        switch earlierNodes.withLock({ $0.look(ends) }) {
        case .join: nil
        case .wait(let node):
            Stop(outcome: .failed("the lease of the node \(node), which has an earlier release, has not ended yet"))
        case .refuse(let node):
            Stop(
                outcome: .refused(
                    "the node \(node) has an earlier release, which cannot take part together with this one; stop all nodes "
                        + "of earlier releases, and then start those of this one"))
        }
    }

    private static func present(_ opened: RedisLease.Opened?) -> Result<RedisLease.Opened, Stop> {
        opened.map { .success($0) } ?? .failure(Stop(outcome: .failed("it does not answer as expected")))
    }

    /// - Returns: nil in place of what was opened if another node has changed the record of the eras.
    private func opened(by reply: RedisReply) -> Result<RedisLease.Opened?, Stop> {
        if case .error(let text) = reply { return .failure(Stop(outcome: Self.outcome(of: text))) }
        switch RedisLease(reply) {
        case .opened(let opened):
            if let problem = problem(opened) { return .failure(Stop(outcome: .refused(problem))) }
            return .success(opened)
        case .changed: return .success(nil)
        case .layout(let layout):
            return .failure(
                Stop(
                    outcome: .refused(
                        "the sessions with the prefix '\(settings.prefix)' have layout \(layout), and this release has "
                            + "\(RedisLease.layout); export them with the release that wrote them, and import them with this "
                            + "one and another storage.redis.prefix")))
        case .forgotten, nil: return .failure(Stop(outcome: .failed("it does not answer as expected")))
        }
    }

    /// Why this process must not use the sessions.
    private func problem(_ opened: RedisLease.Opened) -> String? {
        // Nobody has opened it yet.
        if opened.check.isEmpty { return nil }
        guard settings.sealer.open(opened.check) == Self.text else {
            return "its sessions are encrypted with another storage.key; set that one, or another storage.redis.prefix"
        }
        guard let node = settings.node, !opened.secretCheck.isEmpty else { return nil }
        guard settings.sealer.open(opened.secretCheck) == node.secretCode else {
            return
                "its nodes have another cluster.secret; set that one, or stop all nodes, delete the field 'secret' of the "
                + "key '\(settings.tag):meta', and start them with a new one"
        }
        return nil
    }
}
