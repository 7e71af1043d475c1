import ExampleStores
import Locks
import StoreHosting
import Stores
import StoresTesting
import Testing

/// A traffic light as a server handles it: JSON in, JSON out.
@Suite struct TrafficLightHostingTests {
    private let clock = TestClock()
    private let executor = ManualExecutor()

    private func store() -> HostedStore {
        TrafficLight.kind(clock: clock).makeStore(environment: StoreEnvironment(clock: clock, executor: executor))
    }

    /// The state after the action, or the reason why it was refused.
    private func send(_ type: String, to store: HostedStore) async -> String {
        let result = await Promise.value {
            store.dispatch(["type": .string("traffic-light/" + type)], DispatchOptions(), done: $0)
        }
        return switch result.outcome {
        case .committed, .ignored: text(result.state?.json ?? [])
        case .rejected(let rejection, _): rejection.reason
        case .refused(.internalAction(let type), _): "internal: " + type
        default: "\(result.outcome)"
        }
    }

    private func text(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }

    private func advance(by duration: Duration) {
        executor.run()
        clock.advance(by: duration)
        executor.run()
    }

    @Test func runsOnAServersClock() async {
        let store = store()
        #expect(await send("pressButton", to: store) == "switched-off")
        #expect(await send("switchOn", to: store) == #"{"mode":"running","phase":"red","until":20000}"#)
        advance(by: .seconds(20))
        #expect(text(store.read().json) == #"{"mode":"running","phase":"green","until":80000}"#)
        #expect(await send("pressButton", to: store) == #"{"mode":"running","phase":"green","until":25000}"#)
        #expect(await send("fail", to: store) == #"{"mode":"faulty","isLit":true,"until":21000}"#)
        #expect(text(store.read(.named("lamps")).json) == #"["yellow"]"#)
        advance(by: .seconds(1))
        #expect(text(store.read(.named("lamps")).json) == "[]")
        #expect(await send("switchOff", to: store) == #"{"mode":"off"}"#)
    }

    /// The moment of the next change stands in the state, so that it comes though the process has ended meanwhile.
    @Test func continuesAfterARestart() async throws {
        let first = store()
        #expect(await send("switchOn", to: first) == #"{"mode":"running","phase":"red","until":20000}"#)
        let (revision, kept) = first.snapshot()
        first.end()
        advance(by: .seconds(19))
        let kind = TrafficLight.kind(clock: clock)
        let environment = StoreEnvironment(clock: clock, executor: executor)
        let next = try kind.makeStore(environment: environment, from: kept, revision: revision)
        next.resume()
        advance(by: .seconds(1))
        #expect(text(next.read().json) == #"{"mode":"running","phase":"green","until":80000}"#)
        #expect(next.revision == 2)
        let broken = StateSnapshot(json: Array(#"{"mode":"running","phase":"pink","until":1}"#.utf8))
        #expect(throws: RestorationError.self) { try kind.makeStore(from: broken, revision: 1) }
    }

    @Test func noClientEndsAPhase() async {
        #expect(await send("endPhase", to: store()) == "internal: traffic-light/endPhase")
    }

    @Test func aRecordTellsWhen() async {
        clock.advance(to: 5_000)
        let recorder = MomentRecorder()
        let store = TrafficLight.kind(clock: clock).makeStore(
            environment: StoreEnvironment(clock: clock, executor: executor), recorder: recorder)
        _ = await send("switchOn", to: store)
        #expect(recorder.moments.withLock { $0 } == [.integer(5_000)])
    }
}

/// Keeps what the records of a store say of the time.
private final class MomentRecorder: CommitRecorder {
    let moments = Locked<[JSONValue?]>([])

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        moments.withLock { $0 += transaction.commits.map { $0.payload["moment"] } }
    }

    func isDurable(through revision: Int) -> Bool { true }

    func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) { waiter.waitEnded(with: nil) }
}
