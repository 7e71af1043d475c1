import JSON
public import StoreHosting
public import StorehouseClient
public import Stores

/// A server of one session, in the process of the test and without a network.
///
///     let server = ScriptedServer(seats)
///     let store = server.store()
///     server.isOnline = false
///     store.send(book("Ada"))
///     #expect(store.guests == ["Ada"])
///     #expect(store.confirmed.guests == [])
///
/// It decides by the rules of the kind, as a server does, and then tells all of its stores. It starts no effects and no timers of the kind:
/// ``change(_:)`` does what they would do. Access is not checked.
@MainActor
public final class ScriptedServer<State: Sendable>: ClientTransport {
    /// How the answers to actions reach the stores.
    public enum Answers: Sendable, Hashable {
        /// At once.
        case given
        /// Requests wait, and are decided when this is over.
        case held
        /// They are decided, but the answers are lost on the way, so that the stores send them again.
        case lost
    }

    /// The time of its stores.
    public let clock = ManualClock()
    /// How the answers to actions reach the stores.
    public var answers = Answers.given {
        didSet { if answers != .held { release() } }
    }
    /// Whether there is a network. Without one all streams end, requests fail, and the stores that ``store(as:token:storage:)`` has made
    /// are told so.
    public var isOnline = true {
        didSet { if isOnline != oldValue { networkChanged() } }
    }
    /// How many requests with actions have come.
    public private(set) var requestCount = 0

    private let definition: StoreDefinition<State>
    private var session: ScriptedSession<State>
    private var streams: [ScriptedStream] = []
    private var stores: [WeakStore] = []
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    private struct WeakStore {
        weak var store: RemoteStore<State>?
    }

    /// A server with a session at revision 0.
    ///
    /// - Parameters:
    ///   - definition: the kind.
    ///   - state: that of the session; nil for the initial state of the kind.
    public init(_ definition: StoreDefinition<State>, _ state: State? = nil) {
        let coding = definition.clientCoding
        self.definition = definition
        session = ScriptedSession(coding, state ?? coding.initialState)
    }

    // ---- What a test sees

    /// The state of the session.
    public var state: State { session.state }

    /// The revision of the session.
    public var revision: Int { session.revision }

    /// The actions of stores that were decided, in that order.
    public var received: [StoreAction<State>] { session.received }

    /// How many requests wait for their answers.
    package var heldCount: Int { waiting.count }

    /// How many streams are open.
    public var streamCount: Int { streams.count { $0.isOpen } }

    // ---- What a test does

    /// A store of the session. It is live at once, unless it waits for a token, for a file, or for a network.
    ///
    /// - Parameters:
    ///   - user: the subject of its token; nil for nobody, or for that of `token`.
    ///   - token: gives the token of the user.
    ///   - storage: where actions wait.
    public func store(
        as user: String? = nil, token: (@Sendable (TokenReason) async throws -> String?)? = nil,
        storage: OutboxStorage = .memory
    ) -> RemoteStore<State> {
        let environment = ClientEnvironment(transport: self, clock: clock, random: { 0.5 })
        let store = RemoteStore(
            RemoteModel(definition), url: "https://scripted.test/sessions/me", environment, storage: storage,
            token: token)
        if let user { store.setToken(Self.token(of: user)) }
        stores.removeAll { $0.store == nil }
        stores.append(WeakStore(store: store))
        if !isOnline { store.networkChanged(isOnline: false) }
        store.core.begin()
        return store
    }

    /// Commits an action of somebody else, and tells the stores.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - user: who sends it; nil for somebody without a name.
    /// - Returns: the decision of the rules. Only `accept` changes the state.
    @discardableResult
    public func commit(_ action: StoreAction<State>, as user: String? = nil) -> Decision {
        let decision = session.commit(action, by: Self.actor(user), at: Int(clock.wallTime))
        if decision == .accept { tellState() }
        return decision
    }

    /// Changes the state, as effects and timers of the kind would do, and tells the stores.
    public func change(_ change: (inout State) -> Void) {
        session.change(change)
        tellState()
    }

    /// Rejects the next action of a store that equals this one, whatever the rules say.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - reason: that of the `ActionRejected` which the store throws.
    public func reject(_ action: StoreAction<State>, _ reason: String) { session.refuse(action, reason) }

    /// Cuts all streams. The stores connect again after a second at most, when ``clock`` has moved.
    public func cut() { endStreams(TransportFailure("the stream was cut")) }

    /// Ends the session for good.
    ///
    /// - Parameter reason: `session-ended`, or `revoked`.
    public func end(_ reason: String = "session-ended") {
        for stream in streams { stream.send([ScriptedEvent(type: "closed", data: ["reason": .string(reason)])]) }
        endStreams(nil)
    }

    /// Waits until something is true, while the stores and the server continue. The time limit of the test ends a wait for what never comes.
    public func until(_ isTrue: @MainActor () -> Bool) async {
        while !isTrue() { await Task.yield() }
    }

    // ---- Streams

    /// Opens a stream of a store, which is on the main actor.
    public nonisolated func open(
        _ request: ClientRequest, hear: @escaping @MainActor @Sendable (StreamPart) -> Void
    ) -> any OpenStream {
        MainActor.assumeIsolated {
            let stream = ScriptedStream(request, hear)
            if isOnline {
                streams.append(stream)
                stream.begin()
                stream.send([session.stateEvent, session.readyEvent(for: stream.client)])
            } else {
                Task { stream.end(TransportFailure("there is no network")) }
            }
            return stream
        }
    }

    private func tellState() {
        streams.removeAll { !$0.isOpen }
        for stream in streams { stream.send([session.stateEvent]) }
    }

    private func endStreams(_ failure: TransportFailure?) {
        let ended = streams
        streams = []
        for stream in ended { stream.end(failure) }
    }

    private func networkChanged() {
        if !isOnline { endStreams(TransportFailure("there is no network")) }
        for entry in stores { entry.store?.networkChanged(isOnline: isOnline) }
    }

    // ---- Requests

    /// Answers a request of a store.
    public nonisolated(nonsending) func send(
        _ request: ClientRequest
    ) async throws(TransportFailure) -> ClientResponse {
        try await answer(request).get()
    }

    private func answer(_ request: ClientRequest) async -> Result<ClientResponse, TransportFailure> {
        requestCount += 1
        let number = requestCount
        while answers == .held, !Task.isCancelled { await wait(number) }
        guard isOnline, !Task.isCancelled else { return .failure(TransportFailure("there is no network")) }
        let response = decide(request)
        return answers == .lost ? .failure(TransportFailure("the answer was lost")) : .success(response)
    }

    /// Waits until answers are given, or the store gives up.
    private func wait(_ number: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                waiting[number] = continuation
            }
        } onCancel: {
            Task { @MainActor in self.waiting.removeValue(forKey: number)?.resume() }
        }
    }

    private func release() {
        let released = waiting.sorted { $0.key < $1.key }
        waiting = [:]
        for (_, continuation) in released { continuation.resume() }
    }

    private func decide(_ request: ClientRequest) -> ClientResponse {
        guard request.method == "POST", let body = try? JSONValue(parsing: request.body ?? []) else {
            return ClientResponse(status: 404)
        }
        let token = request.headers["authorization"].map { String($0.dropFirst("Bearer ".count)) }
        let before = session.revision
        let answer = session.sync(body, by: Self.actor(TokenClaims(token).subject), at: Int(clock.wallTime))
        if session.revision > before {
            tellState()
        } else {
            let client = body["client"]?.asString
            for stream in streams where stream.client == client {
                stream.send([session.readyEvent(for: stream.client)])
            }
        }
        return ClientResponse(status: answer.status, body: answer.body.encoded())
    }

    // ---- Users

    private static func actor(_ user: String?) -> Actor { user.map { .user(ActorID($0)) } ?? .anonymous }

    /// A JSON Web Token that nobody has signed.
    private static func token(of user: String) -> String {
        let claims = Base64.encode(JSONValue.object(["sub": .string(user)]).encoded())
        let digits = claims.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        return "e30.\(String(digits))."
    }
}
