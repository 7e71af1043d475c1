import JSON
import Stores

// Actions.
extension AccessModel {
    /// The outcome of a batch, or of one action.
    private enum Attempt {
        case committed([GuildModel], [JSONValue])
        case ignored
        case rejected(String, index: Int)
        /// The state lets its sender act no longer.
        case forbidden
    }

    mutating func post(_ post: ModelPost, to session: Int, _ way: Way, _ expected: inout ModelExpectation) {
        if let key = post.key, let answer = sessions[session].answers[keyOwner(of: way)]?[key] {
            guard answer.calls == post.calls else {
                return refuse(422, "idempotency-mismatch", post, nil, session, way, &expected)
            }
            return again(answer, session, way, &expected)
        }
        if let (index, status, code) = firstRefusal(of: post, way) {
            return refuse(status, code, post, index, session, way, &expected)
        }
        if expected.isInterrupted {
            expected.isStrange = true
            return expected.refuse(403, "forbidden")
        }
        switch attempt(post, session, way) {
        case .forbidden: expected.refuse(403, "forbidden")
        case .rejected(let reason, let index):
            refuse(409, "action-rejected", reason: reason, post, index, session, way, &expected)
            decide(at: sessions[session].revision, &expected)
            keep(.rejected(reason, index: post.isBatch ? index : nil), post, session, way, hasState: false)
        case .ignored: answer(.ignored, post, session, way, &expected)
        case .committed(let states, let entries):
            let revision = sessions[session].revision
            let before = sessions[session]
            sessions[session].states += states
            sessions[session].log += entries
            answer(.committed, post, session, way, &expected)
            if post.isDryRun {
                expected.members["revision"] = expected.members["revision"].map { _ in .integer(revision) }
                expected.taggedRevision = revision
                (sessions[session].states, sessions[session].log) = (before.states, before.log)
            } else {
                show(session, since: revision, &expected)
                if let user = post.dismissed { settle(user, session, way, &expected) }
            }
        }
    }

    /// The effect of a dismissal removes a user, who may be the sender, or may have made the sender's share.
    private mutating func settle(
        _ user: ActorID, _ session: Int, _ way: Way, _ expected: inout ModelExpectation
    ) {
        let revision = sessions[session].revision
        var state = sessions[session].state
        state.expel(user)
        sessions[session].states.append(state)
        sessions[session].log.append([
            "revision": .integer(revision + 1), "type": "guild/expel", "payload": ["who": .string(user.text)],
            "origin": "effect",
        ])
        show(session, since: revision, &expected)
        if mayRead(way, session) {
            // Its own commit may not have let it read.
            expected.status = 200
            show(.committed, revision + 1, hasState: true, session, way, &expected)
            expected.members["settled"] = true
        } else if case .visitor = way {
            show(.committed, revision, hasState: false, session, way, &expected)
            expected.members = [:]
        }
    }

    /// A visitor who may not act any more gets the first answer to a key again, if that had no state.
    func repeatLeaving(
        _ post: ModelPost, from session: Int, _ step: ModelStep, _ expected: inout ModelExpectation
    ) {
        let way = Way.visitor(step.sender.actor)
        guard step.sender.may("act"), step.sender.token != .listing, sessions[session].owner != step.sender.user,
            !sessions[session].hasEnded, let key = post.key,
            let answer = sessions[session].answers[keyOwner(of: way)]?[key], answer.calls == post.calls,
            !answer.hasState
        else { return }
        if case .rejected = answer.outcome { return }
        (expected.code, expected.members, expected.isStrange) = (nil, [:], false)
        again(answer, session, way, &expected)
    }

    /// The first action that does not reach the store.
    private func firstRefusal(of post: ModelPost, _ way: Way) -> (index: Int, status: Int, code: String)? {
        if case .share(let share) = way, let actions = shares[share].wish.actions,
            let index = post.calls.firstIndex(where: { !actions.contains($0.type) })
        {
            return (index, 403, "forbidden")
        }
        for (index, call) in post.calls.enumerated() {
            if let (status, code) = GuildModel.refusal(call, by: actor(of: way)) { return (index, status, code) }
        }
        return nil
    }

    private mutating func attempt(_ post: ModelPost, _ session: Int, _ way: Way) -> Attempt {
        var states: [GuildModel] = []
        var entries: [JSONValue] = []
        var state = sessions[session].state
        made += 1
        let now = ModelBindings.time(made)
        for (index, call) in post.calls.enumerated() {
            if case .visitor(let actor) = way, state.rights(of: actor.id ?? "") & Self.bits("act") == 0 {
                return .forbidden
            }
            made += 1
            switch state.apply(call, by: actor(of: way), now: now, number: made) {
            case .ignored: continue
            case .rejected(let reason): return .rejected(reason, index: index)
            case .committed(let payload):
                states.append(state)
                entries.append([
                    "revision": .integer(sessions[session].revision + states.count), "type": .string(call.type),
                    "payload": .object(payload), "origin": "client", "actor": actor(of: way).json,
                ])
            }
        }
        return states.isEmpty ? .ignored : .committed(states, entries)
    }

    /// Expects an answer with the state that there is now, and keeps it if it has a key.
    private mutating func answer(
        _ outcome: Outcome, _ post: ModelPost, _ session: Int, _ way: Way, _ expected: inout ModelExpectation
    ) {
        let hasState = mayReadAfter(way, session)
        keep(outcome, post, session, way, hasState: hasState)
        show(outcome, sessions[session].revision, hasState: hasState, session, way, &expected)
    }

    /// The answer to an action by a share has its state, also if the action has revoked the share.
    private func mayReadAfter(_ way: Way, _ session: Int) -> Bool {
        if case .share = way { true } else { mayRead(way, session) }
    }

    private func show(
        _ outcome: Outcome, _ revision: Int, hasState: Bool, _ session: Int, _ way: Way,
        _ expected: inout ModelExpectation
    ) {
        expected.taggedRevision = revision
        guard hasState else {
            expected.status = 204
            return
        }
        let word = if case .committed = outcome { "committed" } else { "ignored" }
        let state = sessions[session].states[revision]
        expected.members = ["revision": .integer(revision), "outcome": .string(word)]
        if case .share(let share) = way {
            expected.members["state"] = state.value(shares[share].wish.selection)
            expected.absent = ["effects"]
        } else {
            expected.members["state"] = state.json
        }
    }

    /// Expects the answer that a key had first.
    private func again(_ answer: Answer, _ session: Int, _ way: Way, _ expected: inout ModelExpectation) {
        expected.isReplayed = true
        guard case .rejected(let reason, let index) = answer.outcome else {
            let hasState = answer.hasState && mayRead(way, session) && !expected.isInterrupted
            return show(answer.outcome, answer.revision, hasState: hasState, session, way, &expected)
        }
        expected.refuse(409, "action-rejected", ["reason": .string(reason)])
        expected.members["index"] = index.map { .integer($0) }
        decide(at: answer.revision, &expected)
    }

    /// Expects the revision at which an action was rejected.
    private func decide(at revision: Int, _ expected: inout ModelExpectation) {
        expected.members["revision"] = .integer(revision)
        expected.taggedRevision = revision
    }

    private mutating func keep(_ outcome: Outcome, _ post: ModelPost, _ session: Int, _ way: Way, hasState: Bool) {
        guard let key = post.key, !post.isDryRun else { return }
        sessions[session].answers[keyOwner(of: way), default: [:]][key] = Answer(
            calls: post.calls, revision: sessions[session].revision, outcome: outcome, hasState: hasState)
    }

    /// Expects a refusal, which the session remembers.
    private mutating func refuse(
        _ status: Int, _ code: String, reason: String? = nil, _ post: ModelPost, _ index: Int?, _ session: Int,
        _ way: Way, _ expected: inout ModelExpectation
    ) {
        let place: JSONValue? = post.isBatch ? index.map { .integer($0) } : nil
        expected.refuse(status, code)
        expected.members["index"] = place
        expected.members["reason"] = reason.map { .string($0) }
        guard !post.isDryRun else { return }
        var entry: JSONObject = [
            "type": .string(post.calls[index ?? 0].type), "status": .integer(status), "code": .string(code),
            "actor": actor(of: way).json,
        ]
        entry["index"] = place
        entry["reason"] = reason.map { .string($0) }
        sessions[session].refused = (sessions[session].refused + [.object(entry)]).suffix(100)
    }
}
