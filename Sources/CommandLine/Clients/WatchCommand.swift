import JSON
import Observability
import Platform
import StorehouseClient
import Upstream

/// Follows the events of a session on a terminal, and reconnects when the stream ends.
package struct WatchCommand: Sendable, Hashable {
    package var url: SessionURL
    package var select: String?
    /// Resumes after this revision; nil to begin now.
    package var since: Int?
    package var content = EventLines.Content.changes
    /// Whether to show the first state.
    package var showsState = true
    package var inJSON = false
    package var connection = ClientConnection()

    package init(_ url: SessionURL, select: String? = nil, inJSON: Bool = false) {
        (self.url, self.select, self.inJSON) = (url, select, inJSON)
    }

    init(_ values: FlagValues) throws(UsageError) {
        self.init(try values.session().url, select: values[.select], inJSON: values.has(.json))
        since = try values.revision(.since)
        if values.has(.actions) { content = .actions }
        if content == .actions, url.id == nil { throw .wrong("'\(url.text)' is a share, which shows no actions") }
        showsState = !values.has(.noState)
        connection = try ClientConnection(values)
        // A stream ends with its token, and is resumed with a new one.
        connection.sender?.lifetime = 3600
    }

    /// Returns when the session has ended, or nobody reads the output.
    package func run(_ terminal: ClientTerminal) async throws {
        try await Watcher(self, terminal).run()
    }
}

/// The state of one watch.
@MainActor
private final class Watcher {
    private let command: WatchCommand
    private let terminal: ClientTerminal
    private let transport: any ClientTransport
    private var lines: EventLines
    private var reconnection = WatchReconnection()
    private var parser = EventStreamParser()
    private var lastEventID = ""
    private var closedReason: String?
    private var hasReader = true
    /// Whether the actions are asked for. A share, and a server that does not know the parameter, refuse them.
    private var asksForActions: Bool
    private var showsState: Bool
    /// When the last byte came, in nanoseconds. A laptop that wakes up has missed all bytes meanwhile.
    private var lastReceived = 0

    init(_ command: WatchCommand, _ terminal: ClientTerminal) {
        self.command = command
        self.terminal = terminal
        transport = command.connection.transport()
        lines = EventLines(
            inColor: terminal.inColor, clock: terminal.clock, content: command.content, showsState: command.showsState)
        (asksForActions, showsState) = (command.url.id != nil, command.showsState)
        reconnection.renewsCredentials = command.connection.sender != nil
    }

    func run() async throws {
        if let since = command.since { try await resume(after: since) }
        while true {
            let end = try await connect()
            guard hasReader else { return }
            if case .answered(status: 400, _, _) = end, asksForActions, command.content == .changes {
                asksForActions = false
                continue
            }
            switch reconnection.next(end, random: Double.random(in: 0...1)) {
            case .finish:
                // A stream that was open has said so itself.
                if closedReason == nil { note("the session has ended") }
                return
            case .fail(let reason): throw CommandFailure(reason)
            case .retry(let delay, let reason):
                note("\(reason); reconnecting" + (delay > .zero ? " in \(delay.inTenths) s" : ""))
                try await terminal.sleep(delay)
            }
        }
    }

    /// Makes the stream begin after a revision, or at the oldest one that there still is.
    private func resume(after revision: Int) async throws {
        let server = try SessionServer(command.connection, command.url.root)
        // A share shows the state of now only.
        let asked = command.url.id == nil ? nil : revision
        var start = revision
        var response = try await server.state(of: command.url, select: command.select, at: asked)
        if let oldest = response.oldestRevision {
            let gap = "what came before #\(oldest) is not stored any more"
            if command.inJSON { terminal.warn(gap) } else { note(gap) }
            start = oldest
            response = try await server.state(of: command.url, select: command.select, at: start)
        }
        let document = try response.document()
        // The tag is the revision and the history, and the id of an event has them too.
        guard
            let history = response.headers["etag"]?.split(separator: "\"").last?.split(separator: ".", maxSplits: 1)
                .last
        else {
            throw CommandFailure("\(command.url.root) does not say which history this is, so --since is not possible")
        }
        lastEventID = "\(history)-\(start)"
        showsState = false
        lines.resume(after: start, state: asked == nil ? nil : document["state"], id: lastEventID)
    }

    /// Reads one response to its end.
    private func connect() async throws -> WatchReconnection.End {
        let (parts, continuation) = AsyncStream.makeStream(of: StreamPart.self)
        let stream = transport.open(try request()) { continuation.yield($0) }
        (closedReason, lastReceived) = (nil, continuousTime())
        parser = EventStreamParser(lastEventID: lastEventID)
        let watchdog = Task {
            while isAwaited { try await Task.sleep(for: .milliseconds(200)) }
            continuation.finish()
        }
        defer {
            watchdog.cancel()
            stream.close()
        }
        return try await read(parts)
    }

    private func request() throws -> ClientRequest {
        let shows = (command.content == .actions ? [] : ["effects"]) + (asksForActions ? ["actions"] : [])
        guard let url = command.url.events(select: command.select, shows: shows) else {
            throw CommandFailure("'\(command.url.text)' is not the address of a session")
        }
        var headers = try command.connection.authorizedHeaders()
        headers["Accept"] = "text/event-stream, application/problem+json"
        if headers["Prefer"] == nil { headers["Prefer"] = "status" }
        if !lastEventID.isEmpty { headers["Last-Event-ID"] = lastEventID }
        return ClientRequest("GET", url.text, headers: headers)
    }

    private var isSilent: Bool {
        .nanoseconds(continuousTime() - lastReceived) >= WatchReconnection.readTimeout(parser.heartbeat)
    }

    /// Whether to wait on. The network may have lost the connection, and then nobody says so.
    private var isAwaited: Bool {
        if !terminal.hasReader() { hasReader = false }
        return hasReader && !isSilent
    }

    private func read(_ parts: AsyncStream<StreamPart>) async throws -> WatchReconnection.End {
        var head = ClientResponse(status: 0)
        for await part in parts {
            lastReceived = continuousTime()
            switch part {
            case .head(let status, let headers): (head.status, head.headers) = (status, headers)
            case .bytes(let bytes) where head.isStream:
                received(bytes)
                if let closedReason { return .closed(reason: closedReason) }
                guard hasReader, parser.isValid else { return .broken }
            case .bytes(let bytes):
                head.body += bytes
                if head.body.count >= 1 << 20 { return answer(head) }
            case .end(let failure):
                if head.isStream {
                    if !command.inJSON { write(lines.flush()) }
                    return .broken
                }
                return failure.map { .unreachable("\(command.url.text): \($0)") } ?? answer(head)
            }
        }
        try Task.checkCancellation()
        return head.isStream ? .silent : .unreachable("\(command.url.text): the server is silent")
    }

    private func answer(_ response: ClientResponse) -> WatchReconnection.End {
        let text =
            response.status == 200
            ? "\(command.url.text) is not a stream of events"
            : ProblemText.text(status: response.status, body: response.body)
        return .answered(
            status: response.status, problem: text, after: response.headers["retry-after"].flatMap { Int($0) })
    }

    private func received(_ bytes: [UInt8]) {
        reconnection.began()
        for event in parser.feed(bytes) { show(event) }
        if let retry = parser.retry { reconnection.base = retry }
    }

    private func show(_ event: StreamedEvent) {
        lastEventID = event.id
        let data = try? JSONValue(parsing: event.data, maximumDepth: JSONValue.maxDepth)
        if event.name == "closed" { closedReason = data?["reason"]?.asString ?? "closed" }
        guard command.inJSON else { return write(lines.lines(of: event)) }
        guard isShown(event) else { return }
        let json: JSONValue = [
            "event": .string(event.name), "id": .string(event.id), "data": data ?? .string(event.data),
        ]
        write([json.description.escapedLikeJSON])
    }

    /// Whether an event is printed as JSON.
    private func isShown(_ event: StreamedEvent) -> Bool {
        let isState = event.name == "state"
        defer { if isState { showsState = true } }
        return command.content == .actions ? !["state", "patch"].contains(event.name) : showsState || !isState
    }

    /// A line about the connection. Scripts do not need it.
    private func note(_ text: String) {
        if !command.inJSON { write(lines.note(text)) }
    }

    private func write(_ lines: [String]) {
        for line in lines where hasReader { hasReader = terminal.print(line) }
    }
}

extension ClientResponse {
    fileprivate var isStream: Bool {
        status == 200 && headers["content-type"]?.hasPrefix("text/event-stream") == true
    }
}

extension Duration {
    /// Seconds with one decimal place.
    fileprivate var inTenths: String { String(Double((self / .milliseconds(100)).rounded()) / 10) }
}
