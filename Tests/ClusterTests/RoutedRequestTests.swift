import Cluster
import Testing

@Suite("A request for a session that may be anywhere")
struct RoutedRequestTests {
    private typealias Place = SessionPlace

    private let owner = NodeIncarnation(number: 2, address: "b:1")

    private func step(
        _ request: inout RoutedRequest, _ place: Place, isDraining: Bool = false, at now: Int = 0
    ) -> RoutedRequest.Step {
        request.next(place, isDraining: isDraining, now: now)
    }

    private func request(
        _ kind: RoutedRequest.Kind = .read, isForwarded: Bool = false
    ) -> RoutedRequest {
        RoutedRequest(kind, isForwarded: isForwarded, deadline: 7000)
    }

    @Test("claims it or is forwarded")
    func places() {
        var request = request()
        expect(step(&request, .unknown), .claim)
        expect(step(&request, .unknown, at: 7000), .answerUnavailable)
        expect(step(&request, .elsewhere(owner)), .forward(to: owner))
    }

    @Test("waits while the session is handed over, and then leaves it to the other node")
    func handover() {
        var (own, forwarded) = (request(), request(isForwarded: true))
        expect(step(&own, .releasing), .awaitRelease)
        expect(step(&forwarded, .releasing), .awaitRelease)
        expect(step(&forwarded, .released), .answerNotHere)
        expect(step(&own, .released), .claim)
        expect(step(&own, .released, isDraining: true), .answerUnavailable)
    }

    @Test("is refused by a node that drains, unless another one has the session")
    func draining() {
        var (own, forwarded) = (request(), request(isForwarded: true))
        expect(step(&own, .unknown, isDraining: true), .answerUnavailable)
        expect(step(&own, .elsewhere(owner), isDraining: true), .forward(to: owner))
        expect(step(&forwarded, .unknown, isDraining: true), .answerNotHere)
    }

    @Test("is never forwarded twice: the second node asks Redis once, and refuses")
    func forwardedTwice() {
        var request = request(.write(isIdempotent: true), isForwarded: true)
        // Its knowledge may be older than what the first node has learned from Redis.
        expect(step(&request, .elsewhere(owner)), .claim)
        expect(step(&request, .elsewhere(owner)), .answerNotHere)
        expect(request.failed(.notHere, now: 1), .answerNotHere)
        expect(request.failed(.unavailable, now: 1), .answerUnavailable)
        expect(request.failed(.unknown, now: 1), .answerUnknown)
    }

    @Test("asks again at once when it is refused, then more and more seldom, until the deadline")
    func refusals() {
        var request = request(.write(isIdempotent: false))
        let delays = (0..<7).map { _ in request.failed(.notHere, now: 1) }
        #expect(delays == [0, 100, 200, 400, 400, 400, 400].map { .lookAgain(after: $0) })
        expect(request.failed(.notHere, now: 7000), .answerUnavailable)
    }

    @Test("a write that an owner may have committed is repeated only with a key", arguments: [true, false])
    func unknownOutcome(isIdempotent: Bool) {
        var request = request(.write(isIdempotent: isIdempotent))
        let step = request.failed(.unknown, now: 1)
        #expect(step == (isIdempotent ? .lookAgain(after: 0) : .answerUnknown))
    }

    @Test("a write that was not sent is repeated without a key")
    func notSent() {
        var request = request(.write(isIdempotent: false))
        expect(request.failed(.notSent, now: 1), .lookAgain(after: 0))
    }

    @Test("a read is repeated")
    func read() {
        var request = request()
        expect(request.failed(.unknown, now: 1), .lookAgain(after: 0))
        expect(request.failed(.unknown, now: 7000), .answerUnavailable)
    }

    @Test("503 is never the answer to a write that may have been committed")
    func neverUnavailable() {
        var request = request(.write(isIdempotent: true))
        _ = request.failed(.unknown, now: 1)
        expect(request.failed(.unavailable, now: 2), .lookAgain(after: 100))
        expect(request.failed(.notSent, now: 7000), .answerUnknown)
        expect(step(&request, .unknown, at: 7000), .answerUnknown)
        expect(step(&request, .unknown, isDraining: true), .answerUnknown)
    }

    @Test("503 is the answer if Redis is away")
    func unavailable() {
        var request = request(.write(isIdempotent: true))
        expect(request.failed(.unavailable, now: 1), .answerUnavailable)
    }
}
