import JSON
import Observability
import Platform
import StorehouseClient
import Upstream

/// Follows the events of a session on a terminal, and reconnects when the stream ends.
package struct WatchCommand: Sendable, Hashable {
    let url: SessionURL
    let select: String?
    let connection: ClientConnection
    let inJSON: Bool

    package init(
        _ url: SessionURL, select: String? = nil, connection: ClientConnection = ClientConnection(),
        inJSON: Bool = false
    ) {
        self.url = url
        self.select = select
        self.connection = connection
        self.inJSON = inJSON
    }

    /// The terminal and the clock of the command. Tests replace them.
    package struct Surroundings: Sendable {
        package var inColor: Bool
        /// Writes a line for the reader; false if nobody reads any more.
        package var print: @Sendable (String) -> Bool
        /// Whether somebody may still read the lines.
        package var hasReader: @Sendable () -> Bool
        package var sleep: @Sendable (Duration) async throws -> Void

        package init(
            inColor: Bool, print: @escaping @Sendable (String) -> Bool,
            hasReader: @escaping @Sendable () -> Bool = { true },
            sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        ) {
            self.inColor = inColor
            self.print = print
            self.hasReader = hasReader
            self.sleep = sleep
        }

        /// The terminal of the process.
        static var terminal: Surroundings {
            Surroundings(
                inColor: Console.hasColor, print: { Console.printUnescaped($0) }, hasReader: { Console.hasReader })
        }
    }

    /// Returns when the session has ended, or nobody reads the output.
    package func run(_ surroundings: Surroundings) async throws {
        try await Watcher(self, surroundings).run()
    }
}

/// The state of one watch.
@MainActor
private final class Watcher {
    private let command: WatchCommand
    private let surroundings: WatchCommand.Surroundings
    private let transport: any ClientTransport
    private var lines: EventLines
    private var reconnection = WatchReconnection()
    private var parser = EventStreamParser()
    private var lastEventID = ""
    private var closedReason: String?
    private var hasReader = true
    /// When the last byte came, in nanoseconds. A laptop that wakes up has missed all bytes meanwhile.
    private var lastReceived = 0

    init(_ command: WatchCommand, _ surroundings: WatchCommand.Surroundings) {
        self.command = command
        self.surroundings = surroundings
        transport = command.connection.transport()
        lines = EventLines(inColor: surroundings.inColor)
    }

    func run() async throws {
        while true {
            let end = try await connect()
            guard hasReader else { return }
            switch reconnection.next(end, random: Double.random(in: 0...1)) {
            case .finish:
                // A stream that was open has said so itself.
                if closedReason == nil { note("the session has ended") }
                return
            case .fail(let reason): throw CommandFailure(reason)
            case .retry(let delay, let reason):
                note("\(reason); reconnecting" + (delay > .zero ? " in \(delay.inTenths) s" : ""))
                try await surroundings.sleep(delay)
            }
        }
    }

    /// Reads one response to its end.
    private func connect() async throws -> WatchReconnection.End {
        let (parts, continuation) = AsyncStream.makeStream(of: StreamPart.self)
        let stream = transport.open(try request()) { continuation.yield($0) }
        (closedReason, lastReceived) = (nil, continuousTime())
        parser = EventStreamParser(lastEventID: lastEventID)
        let watchdog = Task {
            while isAwaited { try await Task.sleep(for: .milliseconds(500)) }
            continuation.finish()
        }
        defer {
            watchdog.cancel()
            stream.close()
        }
        return try await read(parts)
    }

    private func request() throws -> ClientRequest {
        guard let url = command.url.events(select: command.select) else {
            throw CommandFailure("'\(command.url.text)' is not the address of a session")
        }
        var headers = command.connection.headers
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
        if !surroundings.hasReader() { hasReader = false }
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
                if head.isStream { return .broken }
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
        guard command.inJSON else { return write(lines.line(of: event, at: systemTime())) }
        let json: JSONValue = [
            "event": .string(event.name), "id": .string(event.id), "data": data ?? .string(event.data),
        ]
        write(json.description.escapedLikeJSON)
    }

    /// A line about the connection. Scripts do not need it.
    private func note(_ text: String) {
        if !command.inJSON { write(lines.note(text, at: systemTime())) }
    }

    private func write(_ line: String) {
        hasReader = surroundings.print(line) && hasReader
    }
}

extension ClientResponse {
    fileprivate var isStream: Bool {
        status == 200 && headers["content-type"]?.hasPrefix("text/event-stream") == true
    }
}

extension Console {
    /// Whether standard output is a terminal that shows colours, and the user wants them (no-color.org).
    static var hasColor: Bool {
        func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        return isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").isEmpty && variable("TERM") != "dumb"
    }
}

extension Duration {
    /// Seconds with one decimal place.
    fileprivate var inTenths: String { String(Double((self / .milliseconds(100)).rounded()) / 10) }
}
