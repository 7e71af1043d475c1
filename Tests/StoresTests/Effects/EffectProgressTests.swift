import RemoteServices
import Stores
import StoresTesting
import Testing

/// The reports of an operation, and of the calls that it makes, on their progress.
@Suite struct EffectProgressTests {
    @Test func aCallAndItsRetriesAreReported() {
        let recorder = EffectRecorder(.parallel) { _ in
            EffectContext.current?.report(.calling("animal"))
            EffectContext.current?.report(.retrying(attempt: 2, code: "unreachable"))
            EffectContext.current?.report(.retrying(attempt: 3, code: "bad-status"))
            return nil
        }
        recorder.send(.start(1))
        #expect(
            recorder.received.values == [
                "commit 1", "started 1", "retrying 1 animal attempt 2 unreachable",
                "retrying 1 animal attempt 3 bad-status", "succeeded 1 animal attempt 3",
            ])
    }

    @Test func whatWasReportedLastIsHowItEnded() {
        let reports: [[EffectContext.Report]] = [
            [.failed(code: "bad-body")], [.failed(code: nil)], [.failed(code: "timeout"), .succeeded],
            [.calling("one"), .failed(code: "timeout"), .calling("two")], [.succeeded, .failed(code: "overloaded")],
        ]
        let recorder = EffectRecorder(.parallel) { number in
            for report in reports[number] { EffectContext.current?.report(report) }
            return nil
        }
        for number in reports.indices { recorder.send(.start(number)) }
        #expect(
            recorder.events.values.filter { $0.phase != .started }.map(\.line) == [
                "failed 1 bad-body", "failed 2", "succeeded 3", "succeeded 4 two attempt 1", "failed 5 overloaded",
            ])
    }

    @Test func anOperationThatThrowsHasFailed() {
        struct Lost: Error {}
        let (scheduler, received) = (TestScheduler(), Recorder<String>())
        let store = Store<Tally, TallyAction>(
            Tally(), reducer: TallyReducer(),
            middleware: [
                MiddlewareFunction { commit in
                    guard case .start(let number) = commit.action else { return .none }
                    let remote: Effect<TallyAction> = .run("remote", .parallel) { () async throws(RemoteFailure) in
                        throw RemoteFailure(.circuitOpen, "")
                    } failure: { _ in
                        .add(-number)
                    }
                    let other: Effect<TallyAction> = .run("other") { () async throws(Lost) in
                        throw Lost()
                    } failure: { _ in
                        .add(-number)
                    }
                    return number == 1 ? remote : other
                }
            ], environment: scheduler.environment { received.record($0.line) })
        for number in 1...2 {
            store.dispatch(.start(number))
            scheduler.run()
        }
        #expect(received.values == ["started 1", "failed 1 circuit-open", "started 3", "failed 3"])
        #expect(store.state.values == [-1, -2])
    }

    @Test func reportsOfACancelledRunAreIgnored() {
        let (gates, reported) = (Gates(), Recorder<Bool>())
        let recorder = EffectRecorder(.latest) { number in
            let progress = EffectContext.current
            await gates[number].wait()
            progress?.report(.retrying(attempt: 2, code: "timeout"))
            reported.record(progress != nil)
            return .add(number)
        }
        recorder.send(.start(1), .stop)
        gates[1].open()
        recorder.scheduler.run()
        #expect(reported.values == [true])
        #expect(recorder.received.values == ["commit 1", "started 1", "commit 2", "cancelled 1"])
    }

    /// Its task inherits the task-local values of the task that started it.
    @Test func anEffectThatAnotherOneSetsOffReportsForItself() {
        let seen = Recorder<Int>()
        let recorder = EffectRecorder(.parallel) { number in
            EffectContext.current?.report(.calling("\(number)"))
            seen.record(number)
            return number < 3 ? .start(number + 1) : nil
        }
        recorder.send(.start(1))
        #expect(seen.values == [1, 2, 3])
        #expect(
            recorder.events.values.filter { $0.phase == .succeeded }.map(\.line) == [
                "succeeded 1 1 attempt 1", "succeeded 2 2 attempt 1", "succeeded 3 3 attempt 1",
            ])
    }

    @Test func outsideOfAnEffectThereIsNoContext() {
        #expect(EffectContext.current == nil)
    }

    @Test func anAsyncStoreReportsTheSameEvents() {
        let (scheduler, received) = (TestScheduler(), Recorder<String>())
        let store = AsyncStore(
            Tally(), reducer: Asynchronous(TallyReducer()),
            middleware: [
                MiddlewareFunction { commit in
                    guard case .start(let number) = commit.action else { return .none }
                    return .run("work") {
                        EffectContext.current?.report(.calling("animal"))
                        EffectContext.current?.report(.retrying(attempt: 2, code: "unreachable"))
                        return .add(number)
                    }
                }
            ], environment: scheduler.environment { received.record($0.line) })
        let subscription = store.subscribe { received.record("commit \($0.revision)") }
        store.send(.start(1))
        scheduler.run()
        #expect(
            received.values == [
                "commit 1", "started 1", "retrying 1 animal attempt 2 unreachable", "succeeded 1 animal attempt 2",
                "commit 2",
            ])
        withExtendedLifetime(subscription) {}
    }
}
