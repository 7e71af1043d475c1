/// Something that must not happen has happened.
package struct Violation: Error, CustomStringConvertible, Sendable {
    package let description: String
}

/// Checks the answers to clients against the data in Redis.
struct Audit {
    /// The newest revision of each session that a client was told of as committed.
    private var acknowledged: [Int]
    private var acknowledgedEnds: Set<Int> = []
    /// The revisions of all writes in Redis.
    private var revisions: [Int: Int] = [:]
    /// Writes whose clients were told that nothing was committed.
    private var refused: Set<Int> = []
    private(set) var acknowledgedWrites = 0
    private(set) var answeredReads = 0
    private(set) var events = 0
    private(set) var takeovers = 0
    private(set) var handovers = 0
    private(set) var refusedWrites = 0
    private(set) var unknownWrites = 0

    init(sessionCount: Int) { acknowledged = Array(repeating: 0, count: sessionCount) }

    /// The state of a session before a command.
    struct Before {
        let revision: Int
        let runningEffects: [Int]
        let deadline: Int?
        let owner: Int
        let epoch: Int

        init(_ session: StoredSession) {
            revision = session.log.count
            runningEffects = session.runningEffects
            deadline = session.deadline
            owner = session.owner
            epoch = session.epoch
        }
    }

    /// Redis has executed a command.
    mutating func executed(_ command: RedisCommand, on before: Before, _ model: RedisModel) throws(Violation) {
        switch command {
        case .append(let id, let incarnation, let epoch, _, _, let entry)
        where model.sessions[id].log.count > before.revision:
            guard before.owner == incarnation, before.epoch == epoch else {
                throw Violation(
                    description:
                        "incarnation \(incarnation) commits to session \(id) in epoch \(epoch), which is owned by incarnation "
                        + "\(before.owner) in epoch \(before.epoch)")
            }
            switch entry.kind {
            case .write(let write):
                guard !refused.contains(write) else {
                    throw Violation(description: "write \(write) of session \(id) was refused, and committed later")
                }
                guard revisions.updateValue(before.revision + 1, forKey: write) == nil else {
                    throw Violation(description: "write \(write) of session \(id) was committed twice")
                }
            case .settled(let effect):
                guard before.runningEffects.contains(effect) else {
                    throw Violation(description: "effect \(effect) of session \(id) was settled twice")
                }
            case .timer:
                guard before.deadline != nil else {
                    throw Violation(description: "the timer of session \(id) fired twice")
                }
            }
        case .claim(let id, let incarnation) where model.sessions[id].owner == incarnation:
            if before.owner != 0, before.owner != incarnation { takeovers += 1 }
        case .release(let id, _, _) where model.sessions[id].owner != before.owner: handovers += 1
        default: break
        }
    }

    /// A node answers for a session, or shows a commit of it.
    private func answers(
        _ id: Int, incarnation: Int?, _ session: StoredSession, _ what: String
    ) throws(Violation) {
        guard session.owner == incarnation else {
            throw Violation(
                description:
                    "incarnation \(incarnation ?? 0) \(what) session \(id), which is owned by incarnation \(session.owner)"
            )
        }
    }

    mutating func read(
        _ id: Int, at revision: Int, incarnation: Int?, _ session: StoredSession
    ) throws(Violation) {
        try answers(id, incarnation: incarnation, session, "answers a read of")
        guard revision >= acknowledged[id], revision <= session.log.count, !acknowledgedEnds.contains(id) else {
            throw Violation(
                description: "session \(id) was read at revision \(revision), but \(acknowledged[id]) was acknowledged")
        }
        answeredReads += 1
    }

    mutating func show(
        _ id: Int, _ revision: Int, incarnation: Int?, _ session: StoredSession
    ) throws(Violation) {
        try answers(id, incarnation: incarnation, session, "streams")
        guard revision <= session.log.count else {
            throw Violation(description: "revision \(revision) of session \(id) was shown, and is not stored")
        }
        events += 1
    }

    mutating func acknowledge(
        _ write: Int, of id: Int, at revision: Int, incarnation: Int?, _ session: StoredSession
    ) throws(Violation) {
        try answers(id, incarnation: incarnation, session, "acknowledges a commit of")
        guard revision <= session.log.count, session.log[revision - 1].kind == .write(write) else {
            throw Violation(
                description: "write \(write) of session \(id) is acknowledged as revision \(revision), which is another"
            )
        }
        acknowledged[id] = max(acknowledged[id], revision)
        acknowledgedWrites += 1
    }

    mutating func acknowledgeEnd(of id: Int, _ session: StoredSession) throws(Violation) {
        guard session.hasEnded else { throw Violation(description: "session \(id) is said to have ended") }
        acknowledgedEnds.insert(id)
    }

    /// A client is told that nothing was committed, or that it is not known.
    ///
    /// - Parameters:
    ///   - isFirst: whether the client has not tried before.
    ///   - willRepeat: whether it tries again.
    mutating func refuse(
        _ write: Int, of id: Int, isKnown: Bool, isFirst: Bool, willRepeat: Bool
    ) throws(Violation) {
        guard isKnown else {
            unknownWrites += 1
            return
        }
        if isFirst, revisions[write] != nil {
            throw Violation(description: "write \(write) of session \(id) is refused, and was committed")
        }
        if !willRepeat { refused.insert(write) }
        refusedWrites += 1
    }

    /// The replica became the primary.
    mutating func failedOver(_ lost: [(Int, Entry)], _ model: RedisModel) throws(Violation) {
        for (id, entry) in lost {
            let count = model.sessions[id].log.count
            guard count >= acknowledged[id] else {
                throw Violation(description: "session \(id) has lost the acknowledged revision \(acknowledged[id])")
            }
            if case .write(let write) = entry.kind, revisions[write, default: 0] > count { revisions[write] = nil }
        }
    }
}
