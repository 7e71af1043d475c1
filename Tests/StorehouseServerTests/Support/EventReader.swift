import JSON
import Locks

/// Reads an event stream strictly: its framing as chunks, and its lines as WHATWG HTML, section 9.2, has them.
final class EventReader: Sendable {
    let head: TestResponse
    private let client: TestClient
    // Guards what was read and is not yet asked for.
    private let parser = Locked(EventParser())

    /// Reads the head of the answer, which must be a stream.
    init(_ client: TestClient) async throws {
        self.client = client
        head = try await client.head()
        guard head.status == 200, head["transfer-encoding"] == "chunked", head["content-length"] == nil else {
            throw Wire.Failure.malformed("no stream but \(head.status)")
        }
    }

    /// The next thing on the stream; nil at its end.
    func item() async throws -> StreamItem? {
        while true {
            if let item = parser.withLock({ $0.next() }) { return item }
            guard let chunk = try await client.chunk() else {
                guard parser.withLock({ $0.isEmpty }), try await client.rest().isEmpty else {
                    throw Wire.Failure.malformed("something behind the end")
                }
                return nil
            }
            try parser.withLock { parser throws(Wire.Failure) in try parser.feed(chunk) }
        }
    }

    /// The next event, past comments; nil at the end.
    func event() async throws -> StreamEvent? {
        while let item = try await item() {
            if case .event(let event) = item { return event }
        }
        return nil
    }

    /// The next event, which must be a state.
    func state() async throws -> StreamEvent {
        guard let event = try await event(), event.name == "state", event.id != nil else {
            throw Wire.Failure.malformed("no state")
        }
        return event
    }

    /// The states up to a revision.
    func states(upTo revision: Int) async throws -> [StreamEvent] {
        var all: [StreamEvent] = []
        repeat { all.append(try await state()) } while (all.last?.revision ?? .max) < revision
        return all
    }

    /// Sends the end of the client's side, so that the stream ends.
    func finishSending() async throws { try await client.finishSending() }

    /// Makes the connection end with a reset.
    func makeReset() async throws { try await client.makeReset() }
}

/// One thing on a stream.
enum StreamItem: Sendable, Equatable {
    case comment(String)
    case retry(Int)
    case event(StreamEvent)
}

struct StreamEvent: Sendable, Equatable {
    var name = "message"
    var id: String?
    var data: JSONValue = .null

    var revision: Int? { data["revision"]?.asInteger }
    var state: JSONValue? { data["state"] }
    var skipped: Int? { data["skipped"]?.asInteger }
}

extension StreamEvent {
    /// The value after the event, for a client that has `old`.
    func applied(to old: JSONValue?) throws -> JSONValue? {
        guard name == "patch" else { return state }
        var value = old ?? .null
        try JSONPatch(data["patch"] ?? .null).apply(to: &value)
        return value
    }
}
