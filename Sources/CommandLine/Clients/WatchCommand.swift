import Dispatch
import JSON
import Observability
import Platform
import RemoteServices
import StorehouseClient
import StorehouseServer
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
        /// Blocks the thread.
        package var sleep: @Sendable (Duration) -> Void

        package init(
            inColor: Bool, print: @escaping @Sendable (String) -> Bool,
            hasReader: @escaping @Sendable () -> Bool = { true },
            sleep: @escaping @Sendable (Duration) -> Void = { duration in
                usleep(UInt32(clamping: duration.milliseconds * 1000))
            }
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
        // libcurl blocks its thread, which must not be one of those that run tasks.
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: "watch").async {
                continuation.resume(with: Result { try Watcher(self, surroundings).run() })
            }
        }
    }
}

/// The state of one watch. It lives on one thread.
private final class Watcher {
    private let command: WatchCommand
    private let surroundings: WatchCommand.Surroundings
    private var lines: EventLines
    private var reconnection = WatchReconnection()
    private var parser = EventStreamParser()
    private var lastEventID = ""
    private var closedReason: String?
    private var problem: [UInt8] = []
    /// Whether the response at hand is a stream of events.
    private var isStreaming = false
    private var hasReader = true
    /// Whether the server was given up, because nothing came from it.
    private var isSilent = false

    init(_ command: WatchCommand, _ surroundings: WatchCommand.Surroundings) {
        self.command = command
        self.surroundings = surroundings
        lines = EventLines(inColor: surroundings.inColor)
    }

    func run() throws {
        while true {
            let end = try connect()
            guard hasReader else { return }
            switch reconnection.next(end, random: Double.random(in: 0...1)) {
            case .finish:
                // A stream that was open has said so itself.
                if closedReason == nil { note("the session has ended") }
                return
            case .fail(let reason): throw CommandFailure(reason)
            case .retry(let delay, let reason):
                note("\(reason); reconnecting" + (delay > .zero ? " in \(delay.inTenths) s" : ""))
                surroundings.sleep(delay)
            }
        }
    }

    /// Reads one response to its end.
    private func connect() throws -> WatchReconnection.End {
        guard let url = command.url.events(select: command.select) else {
            throw CommandFailure("'\(command.url.text)' is not the address of a session")
        }
        var request = CurlStream.Request(
            url: url, headers: command.connection.headers, caFile: command.connection.caFile,
            userAgent: StorehouseVersion.userAgent)
        request.headers["Accept"] = "text/event-stream, application/problem+json"
        if request.headers["Prefer"] == nil { request.headers["Prefer"] = "status" }
        if !lastEventID.isEmpty { request.headers["Last-Event-ID"] = lastEventID }
        parser = EventStreamParser(lastEventID: lastEventID)
        (closedReason, problem, isStreaming, isSilent) = (nil, [], false, false)
        do throws(RemoteFailure) {
            return end(try CurlStream.read(request, watchdog: isAwaited, sink: received))
        } catch {
            if let closedReason { return .closed(reason: closedReason) }
            guard isStreaming else { return .unreachable("\(command.url.text): \(error.message)") }
            return isSilent ? .silent : .broken
        }
    }

    /// Whether to wait on. The network may have lost the connection, and then nobody says so.
    private func isAwaited(_ idleTime: Duration) -> Bool {
        if !surroundings.hasReader() { hasReader = false }
        isSilent = idleTime >= WatchReconnection.readTimeout(parser.heartbeat)
        return hasReader && !isSilent
    }

    private func end(_ response: RemoteResponse) -> WatchReconnection.End {
        if let closedReason { return .closed(reason: closedReason) }
        if Self.isStream(response) { return .broken }
        let text =
            response.status == 200
            ? "\(command.url.text) is not a stream of events" : ProblemText.text(status: response.status, body: problem)
        return .answered(
            status: response.status, problem: text, after: response.headers["retry-after"].flatMap { Int($0) })
    }

    private static func isStream(_ head: RemoteResponse) -> Bool {
        head.status == 200 && head.headers["content-type"]?.hasPrefix("text/event-stream") == true
    }

    /// - Returns: false to end the response.
    private func received(_ head: RemoteResponse, _ part: [UInt8]) -> Bool {
        guard Self.isStream(head) else {
            problem += part
            return problem.count < 1 << 20
        }
        isStreaming = true
        reconnection.began()
        for event in parser.feed(part) { show(event) }
        if let retry = parser.retry { reconnection.base = retry }
        return hasReader && parser.isValid && closedReason == nil
    }

    private func show(_ event: StreamedEvent) {
        lastEventID = event.id
        let data = try? JSONValue(parsing: event.data, maximumDepth: JSONValue.maxDepth)
        if event.name == "closed" { closedReason = data?["reason"]?.asString ?? "closed" }
        guard command.inJSON else { return write(lines.line(of: event, at: Self.now)) }
        let json: JSONValue = [
            "event": .string(event.name), "id": .string(event.id), "data": data ?? .string(event.data),
        ]
        write(json.description.escapedLikeJSON)
    }

    /// A line about the connection. Scripts do not need it.
    private func note(_ text: String) {
        if !command.inJSON { write(lines.note(text, at: Self.now)) }
    }

    private func write(_ line: String) {
        hasReader = surroundings.print(line) && hasReader
    }

    private static var now: Int { systemTime() }
}

extension Console {
    /// Whether standard output is a terminal that shows colours, and the user wants them (no-color.org).
    static var hasColor: Bool {
        func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        return isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").isEmpty && variable("TERM") != "dumb"
    }
}

extension Duration {
    fileprivate var milliseconds: Int { Int(self / .milliseconds(1)) }

    /// Seconds with one decimal place.
    fileprivate var inTenths: String { String(Double((self / .milliseconds(100)).rounded()) / 10) }
}
