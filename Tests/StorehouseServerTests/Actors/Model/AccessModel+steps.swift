import JSON
import Stores

// Steps.
extension AccessModel {
    /// Makes a step.
    ///
    /// - Returns: what should come of it; nil if there is nothing that it could be about.
    mutating func make(_ step: ModelStep) -> ModelExpectation? {
        switch step.verb {
        case .create: return create(step)
        case .rest: return nil
        case .readShare(let number), .actByShare(let number, _), .streamShare(let number, _):
            return useShare(number, step)
        case .leaveStream(let number): return leaveStream(number)
        default: break
        }
        guard !sessions.isEmpty else { return nil }
        let session = ModelStep.index(step.session, among: sessions.count)
        var expected = ModelExpectation()
        expected.target = .session(session)
        switch step.verb {
        case .read, .recall, .document, .log, .refused: read(step, session, &expected)
        case .act(let post):
            expected.send(post)
            if let way = enter(step, session, for: "act", &expected) {
                self.post(post, to: session, way, &expected)
            } else {
                repeatLeaving(post, from: session, step, &expected)
            }
        case .fork(let back): return fork(back, step, session, expected)
        case .end: end(step, session, &expected)
        case .stream(let form):
            guard openStreams < Self.maxStreams else { return nil }
            expected.below = "/events" + form.rawValue
            let way = enter(step, session, for: "read", &expected)
            open(form, session, way, &expected)
        default: return changeShares(step, session, expected)
        }
        return expected
    }

    private var hasRoom: Bool {
        sessions.count < Self.maxSessions && sessions.count { !$0.hasEnded } < Self.maxLiveSessions
    }

    private var openStreams: Int { streams.count { $0.isOpen } }

    private mutating func create(_ step: ModelStep) -> ModelExpectation? {
        guard hasRoom else { return nil }
        var expected = ModelExpectation()
        (expected.method, expected.body) = ("POST", ["store": "guild"])
        guard step.sender.may("create") else {
            expected.refuse(403, "forbidden")
            return expected
        }
        begin(Session(owner: step.sender.user), &expected)
        return expected
    }

    private mutating func begin(_ session: Session, _ expected: inout ModelExpectation) {
        expected.status = 201
        expected.makesSession = true
        expected.members = [
            "owner": .string(session.owner.text), "revision": 0, "store": "guild", "state": session.state.json,
        ]
        sessions.append(session)
    }

    private func read(_ step: ModelStep, _ session: Int, _ expected: inout ModelExpectation) {
        let revision = sessions[session].revision
        var past = revision
        switch step.verb {
        case .read(let selection): expected.below = "/state" + (selection.isEmpty ? "" : "?select=" + selection)
        case .recall(let back):
            past = max(0, revision - back)
            expected.below = "/state?revision=\(past)"
        case .log: expected.below = "/actions?limit=1000"
        case .refused: expected.below = "/actions?refused=true"
        default: break
        }
        guard enter(step, session, for: "read", &expected) != nil else { return }
        switch step.verb {
        case .read(let selection):
            expected.members = ["revision": .integer(revision), "state": sessions[session].state.value(selection)]
        case .recall where past > revision: expected.refuse(404, "no-such-revision")
        case .recall:
            expected.members = ["revision": .integer(past), "state": sessions[session].states[past].json]
        case .log: expected.log = sessions[session].log
        case .refused: expected.refused = sessions[session].refused.reversed()
        default:
            expected.members = [
                "revision": .integer(revision), "owner": .string(sessions[session].owner.text), "store": "guild",
            ]
        }
    }

    private mutating func fork(
        _ back: Int, _ step: ModelStep, _ session: Int, _ expectation: ModelExpectation
    ) -> ModelExpectation? {
        var expected = expectation
        let revision = max(0, sessions[session].revision - back)
        (expected.method, expected.below) = ("POST", "/forks")
        expected.body = ["revision": .integer(revision)]
        guard enter(step, session, for: "create", &expected) != nil else { return expected }
        guard hasRoom else { return nil }
        begin(Session(owner: step.sender.user, states: [sessions[session].states[revision]]), &expected)
        expected.members["forkedFrom"] = ["revision": .integer(revision)]
        return expected
    }

    private mutating func end(_ step: ModelStep, _ session: Int, _ expected: inout ModelExpectation) {
        expected.method = "DELETE"
        guard enter(step, session, for: "delete", &expected) != nil else { return }
        expected.status = 204
        sessions[session].hasEnded = true
        for index in streams.indices where streams[index].isOpen && streams[index].session == session {
            close(index, "session-ended", &expected)
        }
    }

    private mutating func open(
        _ form: ModelStreamForm, _ session: Int, _ way: Way?, _ expected: inout ModelExpectation
    ) {
        guard let way else {
            // Browsers open no stream again after this.
            if expected.status == 410, case .session = expected.target { (expected.status, expected.code) = (204, nil) }
            return
        }
        let value = value(of: form, way, session)
        expected.opens = form
        expected.events.append((streams.count, .value(value, revision: sessions[session].revision)))
        streams.append(Stream(session: session, form: form, way: way))
    }

    private mutating func leaveStream(_ number: Int) -> ModelExpectation? {
        let open = streams.indices.filter { streams[$0].isOpen }
        if !open.isEmpty { streams[open[ModelStep.index(number, among: open.count)]].isOpen = false }
        return nil
    }
}

extension ModelPost {
    var query: String { isDryRun ? "?dryRun=true" : "" }
}

// Shares.
extension AccessModel {
    private mutating func useShare(_ number: Int, _ step: ModelStep) -> ModelExpectation? {
        guard !shares.isEmpty else { return nil }
        let share = ModelStep.index(number, among: shares.count)
        let session = shares[share].session
        var expected = ModelExpectation()
        expected.target = .share(share)
        switch step.verb {
        case .actByShare(_, let post):
            expected.send(post)
            if let way = enter(byShare: share, for: "act", &expected) { self.post(post, to: session, way, &expected) }
        case .streamShare(_, let form):
            guard openStreams < Self.maxStreams else { return nil }
            expected.below = "/events" + form.rawValue
            let way = enter(byShare: share, for: "read", &expected)
            open(form, session, way, &expected)
        default:
            expected.below = "/state"
            guard enter(byShare: share, for: "read", &expected) != nil else { return expected }
            let value = sessions[session].state.value(shares[share].wish.selection)
            expected.members = ["revision": .integer(sessions[session].revision), "state": value]
        }
        return expected
    }

    private mutating func changeShares(
        _ step: ModelStep, _ session: Int, _ expectation: ModelExpectation
    ) -> ModelExpectation? {
        var expected = expectation
        expected.below = "/shares"
        let own = shares.indices.filter { shares[$0].session == session }
        if case .revoke(let number) = step.verb {
            guard !own.isEmpty else { return nil }
            expected.last = .share(own[ModelStep.index(number, among: own.count)])
        }
        switch step.verb {
        case .share(let wish): (expected.method, expected.body) = ("POST", wish.json)
        case .listShares: break
        default: expected.method = "DELETE"
        }
        guard let way = enter(step, session, for: "share", &expected) else { return expected }
        switch step.verb {
        case .share(let wish): make(wish, session, way, &expected)
        case .listShares: expected.listed = own.filter(isValid)
        case .revoke(let number):
            let share = own[ModelStep.index(number, among: own.count)]
            if shares[share].isRevoked {
                expected.refuse(404, "no-such-share")
            } else {
                expected.status = 204
                shares[share].isRevoked = true
            }
        default:
            expected.status = 204
            for share in own { shares[share].isRevoked = true }
        }
        closeRevoked(&expected)
        return expected
    }

    /// A share allows no more than its maker may.
    private mutating func make(
        _ wish: ModelShareWish, _ session: Int, _ way: Way, _ expected: inout ModelExpectation
    ) {
        var maker: ActorID?
        if case .visitor(let actor) = way {
            maker = actor.id
            guard lets(actor.id, "read", in: session), !wish.mayAct || lets(actor.id, "act", in: session) else {
                return expected.refuse(403, "forbidden")
            }
        }
        guard wish.guest == nil || wish.roles.allSatisfy(actor(of: way).roles.contains) else {
            return expected.refuse(403, "forbidden")
        }
        expected.status = 201
        expected.makesShare = true
        expected.members = ["may": wish.mayAct ? ["read", "act"] : ["read"], "select": .string(wish.selection)]
        shares.append(Share(session: session, wish: wish, maker: maker))
    }
}
