import JSON

/// A client that follows the rules: it shows the newest value, and on it the entries that the value does not contain yet.
///
/// The value only grows. So what is shown may never become less.
struct PlainClient: Sendable {
    /// A value that the server sent to the client.
    struct Sighting: Sendable {
        let revision: Int
        /// The last of its entries that the value contains.
        let through: Int
        let value: Int
    }

    let id: String
    private let mark: String
    private let format: String
    private(set) var entries: [OutboxEntry] = []
    /// The known results, from number 1 on.
    private(set) var results: [OutboxResult] = []
    private(set) var sightings: [Sighting] = []
    private(set) var revision = 0
    private(set) var through = 0
    private var value = 0
    private var shown = 0
    private var lastEventID: String?
    private var events: EventReader?

    /// - Parameter format: of the stream, as a part of its query.
    init(id: String, mark: String, format: String) { (self.id, self.mark, self.format) = (id, mark, format) }

    mutating func append(_ entry: OutboxEntry) throws {
        entries.append(entry)
        try show()
    }

    /// The entries whose outcome is unknown, or the first of them.
    func unknown(_ count: Int) -> [OutboxEntry] { Array(entries.dropFirst(results.count).prefix(count)) }

    /// Takes the results of an answer, which may come late.
    mutating func take(_ news: [OutboxResult]) throws {
        for result in news where result.number > results.count {
            try OutboxFault.require(result.number == results.count + 1, "a result is missing in front of \(result)")
            results.append(result)
        }
        try show()
    }

    private mutating func show() throws {
        guard events != nil else { return }
        var total = value
        for number in through..<entries.count where number >= results.count || waits(results[number]) {
            total += entries[number].prediction
        }
        try OutboxFault.require(total >= shown, "\(id) showed \(shown), and then \(total)")
        shown = total
    }

    private func waits(_ result: OutboxResult) -> Bool {
        result.outcome == "committed" && result.revision > revision
    }

    /// Opens a stream, and reads until it is ready.
    ///
    /// - Parameter resumes: whether it continues behind the last event.
    mutating func connect(to session: LiveSession, resumes: Bool) async throws {
        let fields = resumes ? lastEventID.map { [("Last-Event-ID", $0)] } ?? [] : []
        events = nil
        let stream = try await session.events(query: "?sync=\(id)&select=/total\(format)", fields)
        while try await next(of: stream) != "ready" {}
        events = stream
        try show()
    }

    mutating func disconnect() { events = nil }

    /// Reads the stream, if there is one, until the value is at least of that revision.
    mutating func follow(to revision: Int) async throws {
        guard let events else { return }
        while self.revision < revision {
            _ = try await next(of: events)
            try show()
        }
    }

    /// - Returns: the name of the event.
    private mutating func next(of stream: EventReader) async throws -> String {
        guard let event = try await stream.event(), let revision = event.revision else {
            throw OutboxFault("the stream of \(id) has ended")
        }
        try OutboxFault.require(revision >= self.revision, "\(id) was at \(self.revision), and then at \(revision)")
        self.revision = revision
        if let number = event.data["through"]?[mark]?.asInteger {
            try OutboxFault.require(number >= through, "\(id) was told of \(through), and then of \(number)")
            through = number
        }
        if event.name != "ready" {
            lastEventID = event.id
            guard let value = try event.applied(to: .integer(value))?.asInteger else {
                throw OutboxFault("no total in \(event)")
            }
            self.value = value
        }
        sightings.append(Sighting(revision: revision, through: through, value: value))
        return event.name
    }
}
