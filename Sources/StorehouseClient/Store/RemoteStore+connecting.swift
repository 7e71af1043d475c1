public import JSON
public import StoreHosting

extension RemoteStore {
    /// A store of a kind that the app knows. The rules of the kind predict what actions do.
    ///
    /// - Parameters:
    ///   - definition: the kind. If the server has another version of it, nothing is predicted.
    ///   - server: the address of the server, such as `https://host`.
    ///   - session: which session it follows.
    ///   - token: gives a token of the user, or nil for none. It is asked before first use, when the server refuses the last one, and
    ///     before one expires, one call at a time. Without it requests have no token.
    ///   - storage: where actions wait, and the newest state is kept.
    ///   - creates: whether the session is made if there is none.
    ///   - unknown: what becomes of an action of which the server no longer knows whether it was committed.
    ///   - hearsEffects: whether ``SentAction/settled`` can be awaited.
    ///   - transport: carries the requests; nil for that of the system.
    public convenience init(
        _ definition: StoreDefinition<State>, at server: String, session: RemoteSession,
        token: (@Sendable (TokenReason) async throws -> String?)? = nil, storage: OutboxStorage = .memory,
        creates: Bool = false, unknown: UnknownPolicy = .drop, hearsEffects: Bool = false,
        transport: (any ClientTransport)? = nil
    ) {
        let name = definition.kind.name
        self.init(
            RemoteModel(definition), url: session.address(at: server, kind: name).text, .standard(transport),
            storage: storage, token: token, create: creates ? name : nil, unknown: unknown, hearsEffects: hearsEffects)
    }
}

extension RemoteStore<JSONValue> {
    /// A store of any kind, whose state is what the server sends. Nothing is predicted.
    ///
    /// - Parameters:
    ///   - server: the address of the server, such as `https://host`.
    ///   - session: which session it follows.
    ///   - select: the part of the state: a JSON Pointer or the name of a selector; nil for all of it.
    ///   - token: gives a token of the user, or nil for none. It is asked before first use, when the server refuses the last one, and
    ///     before one expires, one call at a time. Without it requests have no token.
    ///   - storage: where actions wait, and the newest state is kept.
    ///   - create: the kind of which the session is made if there is none; nil if none is made.
    ///   - unknown: what becomes of an action of which the server no longer knows whether it was committed.
    ///   - hearsEffects: whether ``SentAction/settled`` can be awaited.
    ///   - transport: carries the requests; nil for that of the system.
    public convenience init(
        at server: String, session: RemoteSession, select: String? = nil,
        token: (@Sendable (TokenReason) async throws -> String?)? = nil, storage: OutboxStorage = .memory,
        create: String? = nil, unknown: UnknownPolicy = .drop, hearsEffects: Bool = false,
        transport: (any ClientTransport)? = nil
    ) {
        self.init(
            .plain, url: session.address(at: server, kind: create).text, .standard(transport), storage: storage,
            token: token, select: select, create: create, unknown: unknown, hearsEffects: hearsEffects)
    }

    /// Sends an action. It never waits.
    ///
    /// - Parameters:
    ///   - action: the body of a request, such as `["type": "seats/book", "payload": ["guest": "Ada"]]`.
    ///   - revision: the ``revision`` at which alone it may commit; nil for any.
    /// - Returns: a handle to wait for the outcome, which may be dropped.
    @discardableResult
    public func send(_ action: JSONValue, ifRevision revision: Int? = nil) -> SentAction {
        send(all: [action], ifRevision: revision)
    }

    /// Sends actions that commit together or not at all. It never waits.
    ///
    /// - Parameters:
    ///   - actions: the bodies of 1 to 100 actions.
    ///   - revision: the ``revision`` at which alone they may commit; nil for any.
    /// - Returns: a handle to wait for the outcome, which may be dropped.
    @discardableResult
    public func send(all actions: [JSONValue], ifRevision revision: Int? = nil) -> SentAction {
        send(actions.map { .init(json: $0) }, ifMatch: revision.map(core.etag)).handle
    }
}
