import Dispatch
import Foundation
import JSON
import Locks
import Observability
import Platform
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// A fault in the access function is a fault of the kind, and is told as such.
@Suite("A fault in the access function", .timeLimit(.minutes(5)))
struct AccessFaultTests {
    /// A kind whose access function does something wrong.
    private static func kind(_ name: String = "careless", _ fault: @escaping @Sendable () -> Void) -> StoreKind {
        StoreDefinition(name, "A kind with a fault.", Club()) {
            Member("posts", \.posts)
            Action("post", "Counts.") { club in club.posts += 1 }
            Access { _, _ in
                fault()
                return .read
            }
        }.kind
    }

    private static func run(
        _ kind: StoreKind, _ clock: WallClock = WallClock(), _ body: (TestAPI, _ path: String) async throws -> Void
    ) async throws {
        let configuration = TestTokens.configuration { $0.sessions.defaultStore = kind.name }
        try await TestAPI.run(kinds: [kind], clock: clock, configuration: configuration) { api in
            try await body(api, try await api.sessionPath(of: "ada", store: kind.name))
        }
    }

    @Test("that ends the process is named in the last line")
    func trap() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS] { signal(number, SIG_DFL) }
            FaultReport.install(.text)
            try await Self.run(Self.kind { fatalError("out of range") }) { api, path in
                _ = try await api.send("GET", path, as: "ada")
                _ = try await api.send("GET", path + "/state", as: "bob")
            }
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.contains("the code of a store has ended the process") })
        #expect(line.contains(" store=careless type=access session=") && line.contains(" signal=SIG"))
    }

    @Test("that never ends is in the log and in the metrics once, while it still runs")
    func endless() async throws {
        let (began, end) = (Promise<Void>(), DispatchSemaphore(value: 0))
        // Other tests of this process run functions of other kinds.
        let kind = Self.kind("endless") {
            began.fulfill(())
            end.wait()
        }
        let clock = ManualClock(WallClock().now())
        try await Self.run(kind, clock.clock) { api, path in
            async let answer = api.send("GET", path + "/state", as: "bob")
            await began.value()
            let functions = Locked(RunningFunctions())
            let line = "a function of a store does not return"
            for (step, isReported) in [(0, false), (4999, false), (1, true), (60_000, true)] {
                clock.advance(by: step)
                api.api.reportStalls(in: functions)
                #expect(api.log.text.contains(line) == isReported)
            }
            let lines = api.log.text.split(separator: "\n").filter { $0.contains(line) }
            #expect(lines.count == 1)
            #expect(lines.first?.contains(" store=endless session=") == true && lines.first?.contains("bob") == false)
            #expect(lines.first?.contains(" type=access ") == true)
            for _ in 0..<8 { end.signal() }
            #expect(try await answer.status == 200)
            let samples = try Exposition(try await api.get("/metrics")).samples
            #expect(samples[#"storehouse_faults_total{kind="endless",fault="function-stalled"}"#] == 1)
            // Now nothing runs.
            clock.advance(by: 60_000)
            api.api.reportStalls(in: functions)
            clock.advance(by: 60_000)
            api.api.reportStalls(in: functions)
            #expect(api.log.text.split(separator: "\n").count { $0.contains(line) } == 1)
        }
    }

    @Test(
        "and one in a selector that ends the process are told alike: the last line names the selector",
        arguments: [
            "/state?select=hand", "/events?select=hand", "/state?select=hand&revision=0",
        ])
    func trapOfSelector(_ below: String) async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { [below] in
            for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS] { signal(number, SIG_DFL) }
            FaultReport.install(.text)
            let kind = StoreDefinition("careless", "A kind with a fault.", Club()) {
                Member("posts", \.posts)
                Action("post", "Counts.") { club in club.posts += 1 }
                Selector("hand", "The cards of the reader.") { _, reader in
                    if reader.id == "ada" { fatalError("out of range") }
                    return 0
                }
            }.kind
            try await Self.run(kind) { api, path in
                _ = try await api.send("POST", path + "/actions", as: "ada", nil, ["type": "careless/post"])
                _ = try await api.send("GET", path + below, as: "ada")
            }
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.contains("the code of a store has ended the process") })
        #expect(line.contains(" store=careless type=selector hand ") && line.contains(" signal=SIG"))
    }

    @Test("that takes long is in the log and in the metrics, and the answer is as it should be")
    func slow() async throws {
        let kind = Self.kind {
            let start = MonotonicInstant.current
            while start.nanoseconds(to: .current) < 60_000_000 {}
        }
        try await Self.run(kind) { api, path in
            #expect(try await api.send("GET", path + "/state", as: "bob").status == 200)
            try await api.log.line(with: "access function is slow")
            let line = try #require(
                api.log.text.split(separator: "\n").first { $0.contains("access function is slow") })
            #expect(line.contains(" store=careless ") && !line.contains("bob"))
            let samples = try Exposition(try await api.get("/metrics")).samples
            let faults = samples[#"storehouse_faults_total{kind="careless",fault="slow-access"}"#] ?? 0
            #expect(faults >= 1)
        }
    }
}
