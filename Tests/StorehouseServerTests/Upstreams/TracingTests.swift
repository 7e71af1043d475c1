import JSON
import Locks
import RemoteServices
import Stores
import Testing

/// A client's trace goes with the calls that its action caused.
@Suite(.timeLimit(.minutes(15))) struct TracingTests {
    private final class Tracer: RemoteClient {
        /// Guards what was seen. A leaf.
        private let seen = Locked([String?]())

        var traces: [String?] { seen.withLock { $0 } }

        func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse {
            let trace = EffectContext.current?.trace
            seen.withLock { $0.append(trace.map { $0.traceparent + ($0.tracestate ?? "") }) }
            return RemoteResponse(status: 200, body: Array(#"{"animal":"Cat"}"#.utf8))
        }
    }

    @Test func whatIsMalformedOrTwiceIsDropped() async throws {
        let tracer = Tracer()
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let fields: [[(String, String)]] = [
            [("traceparent", trace)], [], [("traceparent", "00-\(trace)")], [("Traceparent", trace)],
            [("traceparent", trace), ("traceparent", trace)], [("traceparent", "\(trace), \(trace)")],
            [("traceparent", trace), ("tracestate", "a=1"), ("tracestate", "b=2")], [("tracestate", "a=1")],
        ]
        try await TestAPI.run(animal: tracer) { api in
            let session = try await api.session("animal")
            for fields in fields {
                let response = try await api.post(
                    session.path + "/actions", fields + [("Prefer", "wait=3600")], json: ["type": "animal/fetchAnimal"])
                #expect(response.status == 200)
            }
        }
        #expect(tracer.traces == [trace, nil, nil, trace, nil, nil, trace + "a=1,b=2", nil])
    }
}
