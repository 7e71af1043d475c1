import Foundation
import Locks
import Stores
import Testing

/// A reducer must not call the store that runs it: the state is half changed then.
@Suite struct StoreAccessTests {
    @Test(arguments: Position.allCases, StoreCall.allCases)
    func aReducerThatCallsItsStoreStopsTheProcess(_ position: Position, _ call: StoreCall) async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [position, call] in
            stopWithoutBacktrace()
            let desk = Desk(call)
            desk.store.dispatch(DeskAction(position))
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("A reducer called \(call.name) of its own store."))
    }

    @Test(arguments: Way.allCases)
    func itIsStoppedHoweverItRuns(_ way: Way) async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { [way] in
            stopWithoutBacktrace()
            let desk = Desk(.state)
            let action = DeskAction(.ifCase)
            switch way {
            case .batch: desk.store.dispatch(batch: [action, action])
            case .dryRun: _ = desk.store.submit(action, Envelope(.client, .init(isDryRun: true)))
            case .decision: desk.store.dispatch(DeskAction(.decision))
            case .derived:
                desk.store.derived(state: { $0 }, action: { (_: Int) in action }).send(1)
            case .method:
                let ferry = ObservableStore(0)
                ferry.update { _ in
                    ferry.send { _ in }
                }
            }
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("of its own store."))
    }

    @Test func anotherThreadWaitsForTheReducer() async {
        let desk = Desk(nil)
        let (seen, seenMeanwhile) = (Recorder<[Int]>(), Recorder<[[Int]]>())
        desk.work.withLock { work in
            work = {
                let reader = ReaderThread { seen.record(desk.store.state.plain) }
                // The reducer continues once the reader waits for it, or has wrongly read a half-changed state.
                while seen.values.isEmpty, !reader.isBlocked { sched_yield() }
                seenMeanwhile.record(seen.values)
            }
        }
        desk.store.dispatch(DeskAction(.plain))
        while seen.values.isEmpty { await Task.yield() }
        #expect(seenMeanwhile.values == [[]])
        #expect(seen.values == [[1, 2]])
    }

    @Test func aReducerMayCallAnotherStore() {
        let (desk, other) = (Desk(nil), Store<Tally, TallyAction>.tally())
        let seen = Recorder<Int>()
        desk.work.withLock { $0 = { seen.record(other.read { $0.values.count }) } }
        #expect(desk.store.dispatch(DeskAction(.ifCase)).outcome == .committed)
        #expect(desk.store.state == DeskState(phase: .open([1, 2])))
        #expect(seen.values == [0])
    }

    @Test func aReducerMayForgetASubscription() {
        let desk = Desk(nil)
        let seen = Recorder<Int>()
        let subscription = Locked<Subscription?>(desk.store.subscribe { seen.record($0.revision) })
        desk.work.withLock { work in work = { subscription.withLock { $0 = nil } } }
        desk.store.dispatch(DeskAction(.plain))
        #expect(desk.store.revision == 1)
        #expect(seen.values == [])
    }

    @Test func theStoreMayBeCalledAgainAfterTheReducer() {
        let desk = Desk(nil)
        let seen = Recorder<Int>()
        let subscription = Locked<Subscription?>(nil)
        subscription.withLock { subscription in
            subscription = desk.store.subscribe { [weak store = desk.store] _ in
                seen.record(store?.state.plain.count ?? -1)
            }
        }
        desk.store.dispatch(DeskAction(.plain))
        subscription.withLock { $0 }?.cancel()
        desk.store.dispatch(DeskAction(.plain))
        #expect(seen.values == [2])
    }
}

/// A thread that reads a store.
private final class ReaderThread: Sendable {
    private let name = Locked<String?>(nil)

    init(_ read: @escaping @Sendable () -> Void) {
        Thread { [name] in
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            name.withLock { $0 = link ?? "" }
            read()
        }.start()
    }

    /// Whether it has started and now waits for a lock. Where the system does not tell, it is enough that it has started.
    var isBlocked: Bool {
        guard let name = name.withLock({ $0 }) else { return false }
        guard let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8) else { return true }
        // The state follows the program's name, which is in parentheses: S is asleep.
        return status[(status.lastIndex(of: ")") ?? status.startIndex)...].dropFirst(2).first == "S"
    }
}

/// Where in a composition the reducer stands that calls its store.
enum Position: String, Codable, Sendable, CaseIterable {
    case plain, scope, ifPresent, ifCase, forEach, decision
}

/// How a reducer is run.
enum Way: String, Codable, Sendable, CaseIterable { case batch, dryRun, decision, derived, method }

/// The calls of its own store that a reducer must not make.
enum StoreCall: String, Codable, Sendable, CaseIterable {
    case state, revision, read, observe, subscribe, cancel, dispatch, dispatchBatch, send, resume, end

    /// As the message of the trap names it.
    var name: String {
        switch self {
        case .state, .revision: rawValue
        case .read: "read(_:)"
        case .observe: "observe(_:)"
        case .subscribe: "subscribe(_:)"
        case .cancel: "Subscription.cancel()"
        case .dispatch, .dispatchBatch, .send: "dispatch(_:)"
        case .resume: "resume()"
        case .end: "end()"
        }
    }
}

struct DeskState: Sendable, Equatable {
    enum Phase: Sendable, Equatable {
        case closed
        case open([Int])
    }

    var plain = [1]
    var draft: [Int]? = [1]
    var phase = Phase.open([1])
    var byName = ["a": [1]]
    var list = [1]
}

struct DeskAction: Sendable {
    let position: Position

    init(_ position: Position) { self.position = position }
}

/// A store whose reducer runs `work` after it has changed a collection.
final class Desk: Sendable {
    let work = Locked<@Sendable () -> Void>({})
    let store: Store<DeskState, DeskAction>
    private let subscription: Subscription

    init(_ call: StoreCall?) {
        let work = work
        store = Store(DeskState(), reducer: DeskReducer { work.withLock { $0 }() })
        subscription = store.subscribe { _ in }
        guard let call else { return }
        work.withLock { $0 = { [unowned self] in perform(call) } }
    }

    private func perform(_ call: StoreCall) {
        switch call {
        case .state: print(store.state)
        case .revision: print(store.revision)
        case .read: print(store.read { $0.list })
        case .observe: _ = store.observe { print($0) }
        case .subscribe: _ = store.subscribe { print($0.revision) }
        case .cancel: subscription.cancel()
        case .dispatch: store.dispatch(DeskAction(.plain))
        case .dispatchBatch: store.dispatch(batch: [DeskAction(.plain)])
        case .send: store.send(DeskAction(.plain))
        case .resume: store.resume()
        case .end: store.end()
        }
    }
}

private struct DeskReducer: ComposedReducer {
    let work: @Sendable () -> Void

    var body: some Reducer<DeskState, DeskAction> {
        let part = Appending(work: work)
        Plain(work: work)
        Scope(\.list, .at(.scope), part)
        Scope(\.draft, .at(.ifPresent), IfPresent(part))
        Scope(\.phase, .at(.ifCase), IfCase(.open, .whole, part))
        Scope(\.byName, .element, ForEach(part))
    }

    /// Appends a number, then runs `work`.
    struct Appending: Reducer {
        let work: @Sendable () -> Void

        func decide(_ action: DeskAction, in state: [Int]) -> Decision { .accept }

        func reduce(_ state: inout [Int], _ action: DeskAction) {
            state.append(2)
            work()
        }
    }

    struct Plain: Reducer {
        let work: @Sendable () -> Void

        func concerns(_ action: DeskAction) -> Bool { action.position == .plain || action.position == .decision }

        func decide(_ action: DeskAction, in state: DeskState) -> Decision {
            if action.position == .decision { work() }
            return .accept
        }

        func reduce(_ state: inout DeskState, _ action: DeskAction) {
            state.plain.append(2)
            if action.position == .plain { work() }
        }
    }
}

extension CasePath<DeskState.Phase, [Int]> {
    fileprivate static var open: Self {
        Self(embed: { .open($0) }, extract: { if case .open(let values) = $0 { $1(values) } })
    }
}

extension CasePath<DeskAction, DeskAction> {
    fileprivate static func at(_ position: Position) -> Self {
        Self(embed: { $0 }, extract: { if $0.position == position { $1($0) } })
    }
}

extension CasePath<DeskAction, ElementAction<String, DeskAction>> {
    fileprivate static var element: Self {
        Self(embed: { $0.action }, extract: { if $0.position == .forEach { $1(ElementAction("a", $0)) } })
    }
}

/// Lets a trap end the process at once. A backtrace takes seconds, and under ThreadSanitizer it may never end.
func stopWithoutBacktrace() {
    for number in [SIGILL, SIGTRAP, SIGABRT] { signal(number, SIG_DFL) }
}
