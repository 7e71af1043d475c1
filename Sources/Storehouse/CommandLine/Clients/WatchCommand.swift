import Dispatch
import JSON
import Observability
import Platform
import RemoteServices
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

    /// What the command does with the world around it.
    package struct Surroundings: Sendable {
        package var inColor: Bool
        /// Writes a line for the reader; false if nobody reads any more.
        package var print: @Sendable (String) -> Bool
        /// Blocks the thread.
        package var sleep: @Sendable (Duration) -> Void

        package init(
            inColor: Bool, print: @escaping @Sendable (String) -> Bool,
            sleep: @escaping @Sendable (Duration) -> Void = { duration in
                usleep(UInt32(clamping: duration.milliseconds * 1000))
            }
        ) {
            self.inColor = inColor
            self.print = print
            self.sleep = sleep
        }

        /// The terminal of the process.
        static var terminal: Surroundings {
            Surroundings(inColor: Console.hasColor, print: { Console.print($0) })
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
                note("\(reason); reconnecting in \(delay.inTenths) s")
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
        if !lastEventID.isEmpty { request.headers["Last-Event-ID"] = lastEventID }
        parser = EventStreamParser(lastEventID: lastEventID)
        (closedReason, problem, isStreaming) = (nil, [], false)
        do throws(RemoteFailure) {
            let response = try CurlStream.read(request) { head, part in self.received(part, of: head) }
            return end(response)
        } catch {
            if let closedReason { return .closed(reason: closedReason) }
            return isStreaming ? .broken : .unreachable("\(command.url.text): \(error.message)")
        }
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
    private func received(_ part: [UInt8], of head: RemoteResponse) -> Bool {
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
        write(json.description)
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
