import Foundation
import JSON
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
    private static func kind(_ fault: @escaping @Sendable () -> Void) -> StoreKind {
        StoreDefinition("careless", "A kind with a fault.", Club()) {
            Member("posts", \.posts)
            Action("post", "Counts.") { club in club.posts += 1 }
            Access { _, _ in
                fault()
                return .read
            }
        }.kind
    }

    private static func run(_ kind: StoreKind, _ body: (TestAPI, _ path: String) async throws -> Void) async throws {
        let configuration = TestTokens.configuration { $0.sessions.defaultStore = "careless" }
        try await TestAPI.run(kinds: [kind], configuration: configuration) { api in
            try await body(api, try await api.sessionPath(of: "ada", store: "careless"))
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
