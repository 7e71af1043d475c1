import JSON
import Locks
import StoreHosting
import Stores

/// A kind whose work on a state blocks until the test releases it: an action, a selection, and a fork.
struct SlowKind {
    let job = CountedJob()
    let kind: StoreKind

    init() {
        kind = .store(
            "slow", reducer: SlowReducer(job: job),
            selectors: [
                Selector<SlowState>("slow", "The length of the text, after the test releases it.") { [job] state in
                    job.run()
                    return state.text.count
                }
            ])
    }

    /// A name for a session's state that makes its restoration block.
    func nameThatBlocksForks() -> String {
        let name = "\(ObjectIdentifier(job))"
        SlowState.jobs.withLock { $0[name] = job }
        return name
    }
}

/// A blocking job that counts its runs.
final class CountedJob: Sendable {
    private let job = BlockingJob()
    private let count = Locked(0)

    var runs: Int { count.withLock { $0 } }

    func run() {
        count.withLock { $0 += 1 }
        job.run()
    }

    func started() async { await job.started() }

    func release() { job.release() }
}

enum SlowAction: DeclaredAction, Equatable {
    case set(String)
    case rename(String)
    case block, count

    static let catalogue = ActionSchema<SlowAction>([
        ActionDeclaration(
            "slow/set", "Sets the text.", fields: .string("text", .string(), example: "a"),
            embed: { .set($0) }, extract: { if case .set(let text) = $0 { text } else { nil } }),
        ActionDeclaration(
            "slow/rename", "Sets the name.", fields: .string("name", .string(), example: "a"),
            embed: { .rename($0) }, extract: { if case .rename(let name) = $0 { name } else { nil } }),
        ActionDeclaration("slow/block", "Blocks until the test releases it.", .block),
        ActionDeclaration("slow/count", "Counts.", .count),
    ])
}

struct SlowState: HostedState, ObjectState, Restorable {
    static let jobs = Locked<[String: CountedJob]>([:])

    var text = ""
    var name = ""
    var count = 0

    init() {}

    func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("text", text)
        members.member("name", name)
        members.member("count", count)
    }

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        text = try persisted.member("text")
        name = try persisted.member("name")
        count = try persisted.member("count")
        let name = name
        Self.jobs.withLock { $0[name] }?.run()
    }
}

struct SlowReducer: Reducer {
    let job: CountedJob

    func decide(_ action: SlowAction, in state: SlowState) -> Decision { .accept }

    func reduce(_ state: inout SlowState, _ action: SlowAction) {
        switch action {
        case .set(let text): state.text = text
        case .rename(let name): state.name = name
        case .block: job.run()
        case .count: state.count += 1
        }
    }
}
