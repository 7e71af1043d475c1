import JSON
import StorehouseClient

/// A stream of events to one store.
@MainActor
final class ScriptedStream: OpenStream {
    /// The outbox of the store.
    let client: String
    private(set) var isOpen = true
    private let hear: @MainActor @Sendable (StreamPart) -> Void

    init(_ request: ClientRequest, _ hear: @escaping @MainActor @Sendable (StreamPart) -> Void) {
        let members = request.url.drop { $0 != "?" }.dropFirst().split(separator: "&")
        client = members.first { $0.hasPrefix("sync=") }.map { String($0.dropFirst(5)) } ?? ""
        self.hear = hear
    }

    /// Stores close their streams on the main actor.
    nonisolated func close() { MainActor.assumeIsolated { isOpen = false } }

    func begin() { tell(.head(status: 200, headers: ["content-type": "text/event-stream"])) }

    /// Sends events in one read.
    func send(_ events: [ScriptedEvent]) {
        tell(.bytes(events.flatMap { Array("event: \($0.type)\nid: \($0.id)\ndata: \($0.data)\n\n".utf8) }))
    }

    /// - Parameter failure: nil if the server has ended the stream.
    func end(_ failure: TransportFailure?) {
        tell(.end(failure))
        isOpen = false
    }

    private func tell(_ part: StreamPart) {
        if isOpen { hear(part) }
    }
}

/// An event of a stream.
struct ScriptedEvent {
    let type: String
    /// Empty for an event by which no stream is resumed.
    var id = ""
    let data: JSONValue
}
