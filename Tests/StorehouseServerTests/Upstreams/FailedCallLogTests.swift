import FaultyServices
import JSON
import Observability
import Sessions
import StorehouseServer
import Testing

/// The log lines of remote calls that have failed.
@Suite(.timeLimit(.minutes(10))) struct FailedCallLogTests {
    private static let wait = ("Prefer", "wait=3600")

    /// The lines that a server writes while `body` runs, each as its fields.
    private static func lines(
        _ service: FaultyUpstream, level: LogLevel = .info, _ body: (TestAPI) async throws -> Void
    ) async throws -> [String] {
        try await RealRemotes.run(url: "http://127.0.0.1:\(service.port)") { animal, auth in
            try await TestAPI.run(animal: animal, auth: auth, logging: level) { api in
                try await body(api)
                return api.log.text.split(separator: "\n").map(String.init)
                    .filter { $0.contains(" remote call ") }
            }
        }
    }

    private static func mark(_ session: LiveSession) -> String {
        Fingerprint.of(String(session.path.split(separator: "/").last ?? ""))
    }

    @Test(arguments: [402, 404, 500, 503])
    func aFailedCallIsOneLineWithItsSessionEffectRequestAndCode(_ status: Int) async throws {
        let service = try FaultyUpstream(.send(Answer.status(status)))
        var mark = ""
        let lines = try await Self.lines(service) { api in
            let session = try await api.session("animal")
            mark = Self.mark(session)
            let fields = [Self.wait, ("X-Request-Id", "request-\(status)")]
            #expect(try await session.dispatch("animal/fetchAnimal", fields: fields).status == 200)
        }
        let attempts = status == 503 ? 3 : 1
        #expect(lines.count == 1)
        #expect(
            lines.first?.contains(
                "warning remote call failed store=animal effect=animal.fetch cause=1 session=\(mark) "
                    + "requestId=request-\(status) upstream=animal attempt=\(attempts) code=bad-status status=\(status) "
            )
                == true, "\(lines)")
    }

    @Test func aBatchAndAKeyNameTheirRequestToo() async throws {
        let service = try FaultyUpstream(.send(Answer.status(402)))
        let lines = try await Self.lines(service) { api in
            let session = try await api.session("animal")
            let action: JSONValue = ["type": "animal/fetchAnimal"]
            _ = try await session.post([action], [Self.wait, ("X-Request-Id", "batch")])
            let key = ("Idempotency-Key", "\"one\"")
            _ = try await session.post(action, [Self.wait, ("X-Request-Id", "key"), key])
        }
        #expect(lines.map { $0.contains("requestId=batch ") } == [true, false])
        #expect(lines.map { $0.contains("requestId=key ") } == [false, true])
    }

    @Test func aRefusalThatAStoreTakesForAResultIsALineToo() async throws {
        let service = try FaultyUpstream(.send(Answer.status(401)))
        let lines = try await Self.lines(service) { api in
            let session = try await api.session("login-form")
            let credentials: JSONValue = ["username": "some username", "password": "some password"]
            _ = try await session.dispatch("form/set", credentials)
            let fields = [Self.wait, ("X-Request-Id", "refused")]
            #expect(try await session.dispatch("form/authenticate", fields: fields).status == 200)
        }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("info remote call refused") == true)
        #expect(lines.first?.contains("requestId=refused upstream=auth attempt=1 status=401 ") == true)
    }

    @Test func aCallThatSucceedsIsNoLine() async throws {
        let service = try FaultyUpstream(.send(Answer.ok()))
        let lines = try await Self.lines(service, level: .debug) { api in
            let session = try await api.session("animal")
            #expect(try await session.dispatch("animal/fetchAnimal", fields: [Self.wait]).status == 200)
        }
        #expect(lines.isEmpty)
    }

    @Test func whatTheCodeOfAKindMakesUpHasABoundedNumberOfLines() {
        var budgets = Budgets<Int>(limit: 2)
        func isWritten(_ causes: Range<Int>, at now: Int = 0) -> [Bool] {
            causes.map { budgets.take($0, now: now) != nil }
        }
        let known = isWritten(0..<2)
        #expect(known == [true, true])
        let shared = isWritten(2..<2 + LineBudget.limit)
        #expect(!shared.contains(false))
        let more = isWritten(500..<600)
        #expect(!more.contains(true))
        let knownAgain = isWritten(0..<2, at: LineBudget.period - 1)
        #expect(knownAgain == [true, true])
        // After a period the causes that are gone make room for new ones.
        let next = isWritten(600..<604, at: 2 * LineBudget.period)
        #expect(!next.contains(false))
    }

    @Test func aServiceThatIsDownHasABoundedNumberOfLinesAndTheRestIsCounted() {
        var budget = LineBudget()
        for _ in 0..<LineBudget.limit {
            let omitted = budget.take(now: 5000)
            #expect(omitted == 0)
        }
        for later in [0, 1, LineBudget.period - 1] {
            let omitted = budget.take(now: 5000 + later)
            #expect(omitted == nil)
        }
        let omitted = [budget.take(now: 5000 + LineBudget.period), budget.take(now: 5000 + LineBudget.period)]
        #expect(omitted == [3, 0])
    }
}
