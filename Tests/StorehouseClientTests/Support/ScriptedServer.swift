import JSON
import StorehouseClient

/// A server whose answers a test gives.
@MainActor
final class ScriptedServer: ClientTransport {
    /// A request that waits for its answer.
    struct Post {
        let request: ClientRequest
        let json: JSONValue
        fileprivate let answer: CheckedContinuation<Result<ClientResponse, TransportFailure>, Never>
    }

    @MainActor
    final class Stream: OpenStream {
        let request: ClientRequest
        private(set) var isOpen = true
        private let hear: @MainActor @Sendable (StreamPart) -> Void

        fileprivate init(_ request: ClientRequest, _ hear: @escaping @MainActor @Sendable (StreamPart) -> Void) {
            self.request = request
            self.hear = hear
        }

        nonisolated func close() { MainActor.assumeIsolated { isOpen = false } }

        func tell(_ part: StreamPart) { if isOpen { hear(part) } }

        /// Answers with a stream of events.
        func begin() { tell(.head(status: 200, headers: ["content-type": "text/event-stream"])) }

        func refuse(_ status: Int, _ headers: [String: String] = [:]) {
            let all = headers.merging(["content-type": "application/problem+json"]) { $1 }
            tell(.head(status: status, headers: all))
        }

        /// Sends events in one read.
        func send(_ events: (type: String, id: String, data: JSONValue)...) {
            let text = events.map { type, id, data in
                "event: \(type)\n" + (id.isEmpty ? "" : "id: \(id)\n") + "data: \(data)\n\n"
            }
            tell(.bytes(Array(text.joined().utf8)))
        }
    }

    private(set) var streams: [Stream] = []
    private(set) var posts: [Post] = []
    /// How many requests there were.
    private(set) var postCount = 0

    nonisolated func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        try await wait(request).get()
    }

    private func wait(_ request: ClientRequest) async -> Result<ClientResponse, TransportFailure> {
        let json = (try? JSONValue(parsing: request.body ?? [])) ?? .null
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                postCount += 1
                posts.append(Post(request: request, json: json, answer: continuation))
            }
        } onCancel: {
            Task { @MainActor in if !self.posts.isEmpty { self.lose() } }
        }
    }

    nonisolated func open(
        _ request: ClientRequest, hear: @escaping @MainActor @Sendable (StreamPart) -> Void
    ) -> any OpenStream {
        MainActor.assumeIsolated {
            let stream = Stream(request, hear)
            streams.append(stream)
            return stream
        }
    }

    // ---- What a test does

    /// The newest stream, when there are so many.
    func stream(_ count: Int = 1) async -> Stream {
        await until { streams.count >= count }
        return streams[count - 1]
    }

    /// The request that waits.
    func post() async -> Post {
        await until { !posts.isEmpty }
        return posts[0]
    }

    /// Answers the request that waits.
    func answer(_ json: JSONValue, status: Int = 200, headers: [String: String] = [:]) async {
        _ = await post()
        let response = ClientResponse(status: status, headers: headers, body: Array(json.description.utf8))
        posts.removeFirst().answer.resume(returning: .success(response))
    }

    /// The answer of the request that waits is lost.
    func lose() { posts.removeFirst().answer.resume(returning: .failure(TransportFailure("lost"))) }

    /// Answers the request for a record, and then tells it in no event.
    func begin(mark: String = "m1") async { await answer(Self.decided([], mark: mark)) }

    static func decided(_ results: [JSONValue], mark: String = "m1", revision: Int = 0) -> JSONValue {
        [
            "mark": .string(mark), "revision": .integer(revision), "history": "h", "through": 0,
            "results": .array(results),
        ]
    }

    static func result(_ number: Int, _ outcome: String = "committed", revision: Int) -> JSONValue {
        ["n": .integer(number), "outcome": .string(outcome), "revision": .integer(revision)]
    }

    static func ready(_ revision: Int, through: Int = 0, version: String? = nil) -> (String, String, JSONValue) {
        var data: JSONObject = [
            "revision": .integer(revision), "history": "h", "mark": "m1", "through": ["m1": .integer(through)],
            "heartbeat": 15,
        ]
        if let version { data["version"] = .string(version) }
        return ("ready", "", .object(data))
    }

    static func state(_ revision: Int, _ state: JSONValue) -> (String, String, JSONValue) {
        ("state", "h-\(revision)", ["revision": .integer(revision), "state": state])
    }

    static func patch(_ revision: Int, _ patch: JSONValue, through: Int? = nil) -> (String, String, JSONValue) {
        var data: JSONObject = ["revision": .integer(revision), "patch": patch]
        if let through { data["through"] = ["m1": .integer(through)] }
        return ("patch", "h-\(revision)", .object(data))
    }
}
