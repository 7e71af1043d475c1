package import Cluster

/// A commit of a session.
package struct Entry: Equatable {
    package enum Kind: Equatable {
        case write(Int)
        /// The end of an effect, or the news that it was interrupted.
        case settled(effect: Int)
        case timer
    }

    package let kind: Kind
    /// The idempotency key; 0 for none.
    package var key = 0
    /// The effect that it starts; 0 for none.
    package var effect = 0
    /// When the timer is due that it sets; nil for none.
    package var deadline: Int?

    package init(kind: Kind, key: Int = 0, effect: Int = 0, deadline: Int? = nil) {
        (self.kind, self.key, self.effect, self.deadline) = (kind, key, effect, deadline)
    }
}

/// A session as Redis has it, and as its owner loads it.
package struct StoredSession {
    var owner = 0
    package var epoch = 0
    /// The number of the owner's newest commit.
    var sequence = 0
    package var log: [Entry] = []
    /// The revisions by their idempotency keys.
    var keys: [Int: Int] = [:]
    var runningEffects: [Int] = []
    var deadline: Int?
    var hasEnded = false
}

/// A command to Redis. Each is a script, so it is atomic.
package enum RedisCommand {
    case lease(NodeLease.Command, address: String)
    /// Creates a session, which is the creator's; the next one has the number that follows the last.
    case create(Int, incarnation: Int, epoch: Int)
    case claim(Int, incarnation: Int)
    case append(Int, incarnation: Int, epoch: Int, sequence: Int, revision: Int, Entry)
    case end(Int, incarnation: Int, epoch: Int)
    /// The session is free for the next claim.
    case release(Int, incarnation: Int, epoch: Int)
    /// Finds the sessions whose timers are due and whose owners do not live, or are the node that asks: it may have dropped them.
    case findDue(incarnation: Int, limit: Int)
}

/// The answer to a command.
package enum RedisAnswer {
    case lease(NodeLease.Answer)
    case claimed(StoredSession)
    case owned(NodeIncarnation)
    case nothing
    case forgotten
    case done
    case refused
    case due([Int])
}

/// The rules of the scripts: leases, claims and commits.
package struct RedisModel {
    private var incarnations: [Int: (incarnation: NodeIncarnation, until: Int)] = [:]
    private var incarnationCount = 0
    private(set) var sessions: [StoredSession]
    private(set) var deadlines: [Int: Int] = [:]
    private let lease: Int

    package init(sessionCount: Int, lease: Int) {
        sessions = Array(repeating: StoredSession(), count: sessionCount)
        self.lease = lease
    }

    /// Executes a command.
    ///
    /// - Parameter now: by the clock of Redis.
    package mutating func execute(_ command: RedisCommand, now: Int, _ rules: Rules) -> RedisAnswer {
        switch command {
        case .lease(.register, let address):
            incarnationCount += 1
            let incarnation = NodeIncarnation(number: incarnationCount, address: address)
            incarnations[incarnationCount] = (incarnation, now + lease)
            return .lease(.granted(incarnation))
        case .lease(.renew(let incarnation), _):
            guard isAlive(incarnation.number, now) else { return .lease(.forgotten) }
            incarnations[incarnation.number] = (incarnation, now + lease)
            return .lease(.granted(incarnation))
        case .lease(.leave(let incarnation), _):
            incarnations[incarnation.number] = nil
            return .lease(.forgotten)
        case .create(let id, let incarnation, let epoch):
            guard sessions.indices.contains(id) else {
                sessions.append(StoredSession(owner: incarnation, epoch: epoch))
                return .done
            }
            let isRepeated = !sessions[id].hasEnded && sessions[id].owner == incarnation && sessions[id].epoch == epoch
            return isRepeated ? .done : .refused
        case .claim(let id, let incarnation): return claim(id, incarnation, now, rules)
        case .append(let id, let incarnation, let epoch, let sequence, let revision, let entry):
            return append(id, incarnation, epoch, sequence, revision, entry, rules)
        case .end(let id, let incarnation, let epoch):
            if sessions[id].hasEnded { return .done }
            guard sessions[id].owner == incarnation, sessions[id].epoch == epoch else { return .refused }
            sessions[id].hasEnded = true
            deadlines[id] = nil
            return .done
        case .release(let id, let incarnation, let epoch):
            if sessions[id].hasEnded { return .nothing }
            if sessions[id].owner == 0, sessions[id].epoch == epoch { return .done }
            guard sessions[id].owner == incarnation && sessions[id].epoch == epoch || !rules.releaseChecksEpoch else {
                return .refused
            }
            sessions[id].owner = 0
            return .done
        case .findDue(let incarnation, let limit):
            let due = deadlines.filter { id, deadline in
                deadline <= now && (sessions[id].owner == incarnation || !isAlive(sessions[id].owner, now))
            }
            return .due(due.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(limit).map(\.key))
        }
    }

    func isAlive(_ incarnation: Int, _ now: Int) -> Bool { incarnations[incarnation].map { $0.until > now } ?? false }

    private mutating func claim(_ id: Int, _ incarnation: Int, _ now: Int, _ rules: Rules) -> RedisAnswer {
        if sessions[id].hasEnded { return .nothing }
        guard isAlive(incarnation, now) else { return .forgotten }
        let owner = sessions[id].owner
        if owner != incarnation, isAlive(owner, now), rules.claimChecksLease, let known = incarnations[owner] {
            return .owned(known.incarnation)
        }
        sessions[id].owner = incarnation
        sessions[id].epoch += 1
        sessions[id].sequence = 0
        return .claimed(sessions[id])
    }

    private mutating func append(
        _ id: Int, _ incarnation: Int, _ epoch: Int, _ sequence: Int, _ revision: Int, _ entry: Entry, _ rules: Rules
    ) -> RedisAnswer {
        if sessions[id].hasEnded { return .nothing }
        if rules.appendChecksEpoch {
            guard sessions[id].owner == incarnation, sessions[id].epoch == epoch else { return .refused }
            if sessions[id].sequence >= sequence { return .done }
        }
        if entry.key != 0, sessions[id].keys[entry.key] != nil { return .refused }
        if rules.appendChecksRevision {
            guard sessions[id].log.count == revision else { return .refused }
        }
        sessions[id].append(entry, sequence: sequence, storesKey: rules.keysAreStored)
        deadlines[id] = sessions[id].deadline
        return .done
    }
}

extension StoredSession {
    /// Applies a commit, in Redis and in the memory of the owner alike.
    mutating func append(_ entry: Entry, sequence: Int, storesKey: Bool) {
        self.sequence = sequence
        log.append(entry)
        if entry.key != 0, storesKey { keys[entry.key] = log.count }
        if entry.effect != 0 { runningEffects.append(entry.effect) }
        if entry.deadline != nil { deadline = entry.deadline }
        switch entry.kind {
        case .write: break
        case .settled(let effect): runningEffects.removeAll { $0 == effect }
        case .timer: deadline = nil
        }
    }
}
