import JSON
package import Security
package import StoreHosting
package import Stores
package import Threads

/// A request to a session, as a value. Layers of handlers pass it on; see ``SessionHandler``.
package struct SessionRequest: Sendable {
    package var operation: SessionOperation
    package let principal: Credentials
    /// Decides again whether the principal may still do this, when the session is used; nil if that cannot change.
    package var permit: (any Permit)?
    /// The actor, if the state of the session decides what it may do; see ``Authorization``.
    package internal(set) var visitor: Actor?
    /// Whether it comes again because the session has left its object, and has counted for the rate limits already.
    package var isRepeated = false

    package init(_ operation: SessionOperation, by principal: Credentials) {
        self.operation = operation
        self.principal = principal
    }

    /// A copy of the request with another operation.
    package func with(_ operation: SessionOperation) -> SessionRequest {
        var request = self
        request.operation = operation
        return request
    }
}

// Its cases are indirect, so that it is one word, which each layer copies.
package enum SessionOperation: Sendable {
    /// Shows the session without its state. It must be of a kind, if that is named.
    indirect case describe(Preconditions, kind: String? = nil)
    indirect case read(Reading)
    /// Shows a page of the action log.
    indirect case log(ActionLogQuery)
    indirect case subscribe(Subscribing)
    case dispatch(ActionRequest)
    /// Runs the entries of a client that it does not know to be decided.
    case sync(SyncRequest)
    /// Runs entries of a client that are not decided.
    case run(EntryRun)
    /// Creates a session from a state of this one: the newest without a revision. The client's rate counts.
    indirect case fork(ForkRequest)
    indirect case end(Preconditions)
    /// Reads a state with the same bytes as when it was shown first: the newest without a revision, and only its revision
    /// without a selection.
    indirect case recall(SelectionText?, revision: Int?)
    /// Does something of one concern, which no other handler has to know.
    indirect case perform(any SessionCommand)

    /// A read of the state: now, or at an earlier revision.
    package struct Reading: Sendable, Hashable {
        package var selection: SelectionText
        package let revision: Int?
        package let conditions: Preconditions

        package init(selection: SelectionText, revision: Int?, conditions: Preconditions) {
            self.selection = selection
            self.revision = revision
            self.conditions = conditions
        }
    }

    /// An event stream that a client opens. It is subscribed on its loop.
    package struct Subscribing: Sendable {
        package var selection: SelectionText
        package let format: StreamFormat
        package let shows: StreamExtras
        /// The id of the client that is told of its entries; nil for one that does not ask.
        let client: String?
        /// Whether the client came by a permit.
        var isByPermit = false
        /// The last event that the client has, perhaps of another history.
        package let seen: EventID?
        package let stream: LoopBound<Subscriber>
        /// The loop of the stream.
        package let loop: any SerialLoop
        package let limits: StreamLimits

        package init(
            selection: SelectionText, format: StreamFormat, shows: StreamExtras, client: String? = nil,
            isByPermit: Bool = false, seen: EventID?,
            stream: LoopBound<Subscriber>, loop: any SerialLoop, limits: StreamLimits
        ) {
            self.selection = selection
            self.format = format
            self.shows = shows
            self.client = client
            self.isByPermit = isByPermit
            self.seen = seen
            self.stream = stream
            self.loop = loop
            self.limits = limits
        }

        /// - Parameter principal: the credentials of the client.
        package func subscription(
            in session: Session, by principal: Credentials
        ) throws(SessionFailure) -> StreamSubscription {
            let selection = try selection.selection(in: session, by: principal)
            return format.subscription(to: selection, isByPermit: isByPermit, historyID: session.history(of: selection))
        }
    }

    /// Whether it reads what is stored of the session, rather than what is in memory.
    ///
    /// - Parameter newest: the session's revision.
    func readsStorage(at newest: () -> Int) -> Bool {
        switch self {
        case .log, .fork: true
        case .read(let reading): reading.revision.map { $0 < newest() } ?? false
        case .recall(_, let revision): revision.map { $0 < newest() } ?? false
        case .describe, .subscribe, .dispatch, .sync, .run, .end, .perform: false
        }
    }

    /// Whether it takes long, however small the state is.
    var isLong: Bool { if case .fork(let fork) = self { fork.replay != nil } else { false } }

    /// Whether it is about an earlier state, which may be larger than the newest.
    var isOfPast: Bool {
        switch self {
        case .fork: true
        case .read(let reading): reading.revision != nil
        case .recall(_, let revision): revision != nil
        case .describe, .log, .subscribe, .dispatch, .sync, .run, .end, .perform: false
        }
    }
}

/// The part of the state that a client selects.
package enum SelectionText: Sendable, Hashable {
    /// A JSON Pointer, or the name of a selector of the kind; empty for the whole state.
    case text(String)
    case resolved(Selection)

    package static let root = SelectionText.text("")

    package func selection(of kind: @autoclosure () -> StoreKind) throws(SessionFailure) -> Selection {
        switch self {
        case .text(""): .root
        case .text(let text): try Selection(text, of: kind())
        case .resolved(let selection): selection
        }
    }
}

/// An operation of one concern.
package protocol SessionCommand: Sendable {
    /// The right that a visitor needs; nil if it is part of a request that was allowed before.
    var right: Permission? { get }
    /// The rights that it passes on, which a visitor must have too.
    var rightsToPassOn: Permissions { get }
    /// Whether it waits for the store, which may be busy with a large state.
    var usesStore: Bool { get }
    /// Whether it is also for whoever comes by a permit.
    var isForPermits: Bool { get }

    func perform(on session: Session) throws(SessionFailure) -> SessionResult.Content
}

extension SessionCommand {
    package var rightsToPassOn: Permissions { Permissions([]) }
    package var isForPermits: Bool { false }
}

extension Selection {
    /// A selection by a JSON Pointer or the name of a selector of a kind. No name begins with a slash, as pointers do.
    package init(_ text: String, of kind: @autoclosure () -> StoreKind) throws(SessionFailure) {
        do throws(JSONPointerError) {
            self = .pointer(try JSONPointer(text))
        } catch {
            let (name, names) = (Subject(text), kind().selectors.map(\.name))
            guard names.contains(where: { Subject($0) == name }) else {
                throw .selection(.pointer(error, selectors: names))
            }
            self = .named(text)
        }
    }
}
