import CProcessTesting
import Foundation
import JSON
import Journal
import Observability
import Platform
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// A trap in the code of a kind ends the process. One line names the kind, the action and the session before, and the action
/// is not replayed by the next process.
@Suite struct FaultReportTests {
    /// Where the code of the kind traps.
    enum Place: String, Codable, CaseIterable, Sendable {
        case reducer, batch, middleware, effect, recursion

        /// The type that the line names.
        var type: String {
            switch self {
            case .reducer, .batch: "trap/reduce"
            case .middleware: "trap/follow"
            case .effect: "trap/finish"
            case .recursion: "trap/recurse"
            }
        }
    }

    @Test(arguments: Place.allCases)
    func aTrapIsNamedAndItsActionIsNotReplayed(_ place: Place) async throws {
        let durable = try DurableServer()
        let path = durable.path
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [path = path as String, place] in try await Self.trap(place, path)
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.contains("the code of a store has ended the process") })
        #expect(line.contains(" error ") && line.contains(" store=trap type=\(place.type) session="))
        #expect(line.contains(" signal=SIG"))

        let journal = try SQLiteJournal(path: path)
        let id = try await Self.sessions(journal)[0]
        #expect(!lines.contains { $0.contains(id) })
        try await TestAPI.run(kinds: [.trap], journal: journal) { api in
            let session = LiveSession(server: api, path: "/sessions/" + id)
            // Two commits were acknowledged before the trap. An effect runs when its own commit is durable, and a middleware
            // answers while that commit is being written.
            let committed = try #require(try await session.revision())
            #expect(place == .effect ? committed == 3 : (2...(place == .middleware ? 3 : 2)).contains(committed))
            _ = try await session.dispatch("trap/count")
            try await api.log.line(with: "type=trap/count")
            let logged = api.log.text.split(separator: "\n").first { $0.contains("type=trap/count") }
            let masked = try #require(logged?.split(separator: " ").first { $0.hasPrefix("session=") })
            #expect(line.contains(" " + masked + " "))
            #expect(try await session.revision() == committed + 1)
        }
    }

    @Test func theLineIsJSONIfTheLogIs() async throws {
        let before = systemTime()
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            stopWithoutBacktrace()
            FaultReport.install(.json)
            StoreKind.trap.makeStore(label: "abc\"def").dispatch(["type": "trap/reduce"], DispatchOptions()) { _ in }
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("{\"time\"") })
        let json = try JSONValue(parsing: Array(line.utf8))
        #expect(json["level"] == "error" && json["store"] == "trap" && json["type"] == "trap/reduce")
        #expect(json["session"] == "abc?def")
        let time = try #require(json["time"]?.asString)
        // The order of these texts is that of the times.
        #expect((Timestamp.rfc3339(before)...Timestamp.rfc3339(systemTime())).contains(time))
        #expect(time.utf8.count == 24)
    }

    /// Without an action on the thread there is nothing to name.
    @Test func anotherFaultHasNoLine() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            stopWithoutBacktrace()
            FaultReport.install(.text)
            StoreKind.trap.makeStore().dispatch(["type": "trap/count"], DispatchOptions()) { _ in }
            fatalError("no reducer is at fault")
        }
        #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("the code of a store"))
    }

    /// Runs in a process of its own, which it ends.
    private static func trap(_ place: Place, _ path: String) async throws {
        stopWithoutBacktrace()
        FaultReport.install(.text)
        let journal = try SQLiteJournal(path: path)
        try await TestAPI.run(kinds: [.trap], journal: journal) { api in
            let session = try await api.session("trap")
            for _ in 1...2 { _ = try await session.dispatch("trap/count") }
            switch place {
            case .reducer: _ = try await session.dispatch("trap/reduce")
            case .batch: _ = try await session.post([["type": "trap/count"], ["type": "trap/reduce"]])
            case .middleware: _ = try await session.dispatch("trap/respond")
            case .effect: _ = try await session.dispatch("trap/run", fields: [("Prefer", "wait=3600")])
            case .recursion: _ = try await session.dispatch("trap/recurse")
            }
        }
    }

    private static func sessions(_ journal: SQLiteJournal) async throws -> [String] {
        try await journal.list(after: nil, limit: 10).map(\.header.id)
    }
}

/// Lets a trap end the process at once. A backtrace takes seconds, and under ThreadSanitizer it may never end.
private func stopWithoutBacktrace() {
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS] { signal(number, SIG_DFL) }
}

private enum TrapAction: DeclaredAction, Equatable {
    case count, reduce, recurse, respond, follow, run, finish

    static let catalogue = ActionSchema<TrapAction>([
        ActionDeclaration("trap/count", "Counts.", .count),
        ActionDeclaration("trap/reduce", "Traps.", .reduce),
        ActionDeclaration("trap/recurse", "Overflows the stack.", .recurse),
        ActionDeclaration("trap/respond", "A middleware dispatches an action that traps.", .respond),
        ActionDeclaration("trap/follow", "Traps.", audience: .internal, .follow),
        ActionDeclaration("trap/run", "An effect sends an action that traps.", .run),
        ActionDeclaration("trap/finish", "Traps.", audience: .internal, .finish),
    ])
}

private struct TrapState: HostedState, ObjectState, Restorable {
    var count = 0

    init() {}

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) { count = try persisted.member("count") }

    func visitMembers(_ members: inout some MemberVisitor & ~Copyable) { members.member("count", count) }
}

private struct TrapReducer: Reducer {
    func decide(_ action: TrapAction, in state: TrapState) -> Decision { .accept }

    func reduce(_ state: inout TrapState, _ action: TrapAction) {
        switch action {
        case .count, .respond, .run: state.count += 1
        case .reduce, .follow, .finish: state.count = [1, 2, 3][state.count + 10]
        case .recurse: state.count = Int(exhaust_stack(0))
        }
    }
}

extension StoreKind {
    fileprivate static let trap = StoreKind.store(
        "trap", reducer: TrapReducer(),
        middleware: [
            MiddlewareFunction { commit in
                switch commit.action {
                case .respond: .dispatch(.follow)
                case .run: .run("trap") { .finish }
                default: .none
                }
            }
        ])
}
