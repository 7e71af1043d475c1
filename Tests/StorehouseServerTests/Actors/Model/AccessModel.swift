import JSON
import Stores

/// Predicts each answer, entry of the log and event of a server, whoever asks: a value, which knows nothing of the server.
struct AccessModel: Sendable {
    struct Session: Sendable {
        let owner: ActorID
        /// The state of each revision.
        var states = [GuildModel()]
        /// The entries of the log.
        var log: [JSONValue] = []
        /// The refused actions, the oldest first.
        var refused: [JSONValue] = []
        var answers: [KeyOwner: [Int: Answer]] = [:]
        var hasEnded = false

        var revision: Int { states.count - 1 }
        var state: GuildModel { states[revision] }
    }

    struct Share: Sendable {
        let session: Int
        let wish: ModelShareWish
        /// Nil for those of the owner, and of whoever has a token that lists the session.
        let maker: ActorID?
        var isRevoked = false

        var holder: ModelActor {
            wish.guest.map { ModelActor(kind: "guest", id: ActorID("guest:\($0)"), roles: wish.roles) } ?? .anonymous
        }
    }

    struct Stream: Sendable {
        let session: Int
        let form: ModelStreamForm
        let way: Way
        var isOpen = true
    }

    /// Whose keys are apart from those of all others.
    enum KeyOwner: Sendable, Hashable {
        case owner
        case user(ActorID)
        case share(Int)
        case guest(ActorID?, shows: String)
    }

    /// The first answer to a key.
    struct Answer: Sendable {
        let calls: [ModelCall]
        let revision: Int
        let outcome: Outcome
        let hasState: Bool
    }

    enum Outcome: Sendable {
        case committed, ignored
        case rejected(String, index: Int?)
    }

    /// By which right somebody uses a session.
    enum Way: Sendable {
        case owner(ModelActor)
        /// By a token that lists the session.
        case listed(ModelActor)
        /// The state decides.
        case visitor(ModelActor)
        case share(Int)
    }

    static let maxSessions = 12
    static let maxLiveSessions = 3
    static let maxStreams = 8

    var sessions: [Session] = []
    var shares: [Share] = []
    var streams: [Stream] = []
    /// How many values the server has made up.
    var made = 0
}

// The rights of each sender.
extension AccessModel {
    static func bits(_ right: String) -> Int {
        ["read": 1, "create": 1, "act": 2, "share": 4, "delete": 8][right] ?? 0
    }

    /// Whether an actor has a right in the state of a session.
    func lets(_ user: ActorID?, _ right: String, in session: Int) -> Bool {
        sessions[session].state.rights(of: user ?? "") & Self.bits(right) != 0
    }

    func isValid(_ share: Int) -> Bool {
        let share = shares[share]
        return !share.isRevoked && (share.maker.map { lets($0, "share", in: share.session) } ?? true)
    }

    func mayRead(_ way: Way, _ session: Int) -> Bool {
        switch way {
        case .visitor(let actor): lets(actor.id, "read", in: session)
        case .share(let share): isValid(share)
        case .owner, .listed: true
        }
    }

    func actor(of way: Way) -> ModelActor {
        switch way {
        case .owner(let actor), .listed(let actor), .visitor(let actor): actor
        case .share(let share): shares[share].holder
        }
    }

    func keyOwner(of way: Way) -> KeyOwner {
        switch way {
        case .owner: .owner
        case .listed(let actor), .visitor(let actor): .user(actor.id ?? "")
        case .share(let share):
            shares[share].wish.guest == nil
                ? .share(share) : .guest(shares[share].holder.id, shows: shares[share].wish.selection)
        }
    }

    /// The way of a sender to a session; nil if it is refused, as the expectation then says.
    func enter(_ step: ModelStep, _ session: Int, for right: String, _ expected: inout ModelExpectation) -> Way? {
        let sender = step.sender
        guard sender.may(right) else {
            expected.refuse(403, "forbidden")
            return nil
        }
        let isOwner = sessions[session].owner == sender.user
        if isOwner || sender.token == .listing {
            guard !sessions[session].hasEnded else {
                expected.refuse(410, "session-ended")
                return nil
            }
            return isOwner ? .owner(sender.actor) : .listed(sender.actor)
        }
        let hasEnded = sessions[session].hasEnded
        if !hasEnded, lets(sender.user, right, in: session) {
            expected.isInterrupted = step.isInterrupted
            if !step.isInterrupted || right == "act" { return .visitor(sender.actor) }
            expected.refuse(403, "forbidden")
            expected.isStrange = true
            return nil
        }
        expected.refuse(403, "forbidden")
        expected.isStrange = hasEnded || !lets(sender.user, "read", in: session)
        return nil
    }

    /// The way by a share; nil if it is refused.
    func enter(byShare share: Int, for right: String, _ expected: inout ModelExpectation) -> Way? {
        if !isValid(share) {
            expected.refuse(404, "no-such-share")
        } else if sessions[shares[share].session].hasEnded {
            expected.refuse(410, "session-ended")
        } else if right == "act", !shares[share].wish.mayAct {
            expected.refuse(403, "forbidden")
        } else {
            return .share(share)
        }
        return nil
    }
}

// The events of open streams.
extension AccessModel {
    private func selection(of form: ModelStreamForm, _ way: Way) -> String {
        if case .share(let share) = way { shares[share].wish.selection } else { form.selection }
    }

    /// The value that a stream shows.
    func value(of form: ModelStreamForm, _ way: Way, _ session: Int) -> JSONValue {
        sessions[session].state.value(selection(of: form, way))
    }

    /// Expects the events that commits send to the streams of a session.
    mutating func show(_ session: Int, since revision: Int, _ expected: inout ModelExpectation) {
        let newest = sessions[session].revision
        guard newest > revision else { return }
        for index in streams.indices where streams[index].isOpen && streams[index].session == session {
            let stream = streams[index]
            guard mayRead(stream.way, session) else {
                close(index, "revoked", &expected)
                continue
            }
            if stream.form.hasActions {
                for entry in sessions[session].log[revision..<newest] {
                    expected.events.append((index, .action(entry)))
                }
            }
            let value = value(of: stream.form, stream.way, session)
            guard hasChanged(stream, since: revision) else { continue }
            expected.events.append((index, .value(value, revision: newest)))
        }
    }

    /// Whether a commit has changed what a stream shows. Of a selector, the values before and after all commits are compared.
    private func hasChanged(_ stream: Stream, since revision: Int) -> Bool {
        let states = sessions[stream.session].states[revision...]
        let selection = selection(of: stream.form, stream.way)
        guard selection.isEmpty || selection.hasPrefix("/") else {
            return states.first?.value(selection) != states.last?.value(selection)
        }
        return zip(states, states.dropFirst()).contains { $0.value(selection) != $1.value(selection) }
    }

    mutating func close(_ stream: Int, _ reason: String, _ expected: inout ModelExpectation) {
        streams[stream].isOpen = false
        expected.events.append((stream, .closed(reason)))
    }

    /// Closes the streams of shares that are no longer valid.
    mutating func closeRevoked(_ expected: inout ModelExpectation) {
        for index in streams.indices where streams[index].isOpen {
            if case .share(let share) = streams[index].way, !isValid(share) { close(index, "revoked", &expected) }
        }
    }
}
