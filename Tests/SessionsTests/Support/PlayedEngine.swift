import Locks
import Observability
import Security
import Sessions
import StoreHosting
import Stores

/// The handlers of requests to sessions that a test makes, without a journal.
struct PlayedEngine {
    let service: SessionService
    private let chain: SessionChain
    private let runtime: KindRuntime

    init(of kind: StoreKind) {
        let clock = WallClock()
        let registry = SessionRegistry(SessionPolicy(), journal: nil, clock: clock)
        runtime = KindRuntime(kind, .standard, registry.clock, nil)
        let log = Log(level: .error, format: .text, sink: NoLines())
        let builder = SessionBuilder([runtime], defaultStore: kind.name, nil, streamEpoch: "", log)
        service = SessionService(registry, SessionCreator(registry: registry, builder: builder, log: log))
        chain = SessionChain(
            to: service, RateLimits(sessions: nil, actions: nil, clock: clock), WorkPool(),
            Availability(nil, MemoryLimit(MemoryUse(resident: .max, addressSpace: .max))), clock: registry.clock,
            encode: { _ in [] }, encodeProblem: { _ in [] })
    }

    /// - Parameter byteCount: the size that its state is taken to have; nil for the true one.
    func session(byteCount: Int? = nil) -> Session {
        Session(
            .random(), runtime, runtime.kind.makeStore(), journal: nil, createdAt: 0, historyID: "",
            byteCount: byteCount)
    }

    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        try chain.handle(request, session)
    }
}

private final class NoLines: LogSink {
    func write(_ line: [UInt8], afterLoss notice: (_ lost: Int) -> [UInt8]) {}
}
