import JSON
import StorehouseClient

/// A server in this process: its stream has what it is fed with, and it never decides on an action.
@MainActor
final class FedServer: ClientTransport {
    private struct OpenResponse: OpenStream {
        func close() {}
    }

    private var hear: (@MainActor @Sendable (StreamPart) -> Void)?

    nonisolated(nonsending) func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        try? await Task.sleep(for: .seconds(86_400))
        throw TransportFailure("it never answers")
    }

    /// A store opens its stream on the main actor.
    nonisolated func open(
        _ request: ClientRequest, hear: @escaping @MainActor @Sendable (StreamPart) -> Void
    ) -> any OpenStream {
        MainActor.assumeIsolated {
            self.hear = hear
            return OpenResponse()
        }
    }

    /// Waits for the stream, and begins it with a state.
    func begin(_ state: JSONValue, kind: String, version: String) async {
        while hear == nil { await Task.yield() }
        hear?(.head(status: 200, headers: ["content-type": "text/event-stream"]))
        let ready: JSONValue = [
            "revision": 0, "history": "h", "heartbeat": 15, "maxBody": 65_536, "store": .string(kind),
            "version": .string(version),
        ]
        feed(Self.event("state", 0, ["revision": 0, "state": state]) + Self.event("ready", 0, ready))
    }

    /// One read of the stream.
    func feed(_ bytes: [UInt8]) { hear?(.bytes(bytes)) }

    /// The event of a commit that has set one member.
    static func patch(_ revision: Int, _ path: String, _ value: JSONValue) -> [UInt8] {
        let operation: JSONValue = ["op": "replace", "path": .string(path), "value": value]
        return event("patch", revision, ["revision": .integer(revision), "patch": [operation]])
    }

    private static func event(_ name: String, _ revision: Int, _ data: JSONValue) -> [UInt8] {
        Array("event: \(name)\nid: h-\(revision)\ndata: \(data)\n\n".utf8)
    }
}
