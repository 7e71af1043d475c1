import JSON
import Observability
import Sessions
import StorehouseServer
import Stores
import Testing

/// Faults of a kind's code: the client gets the result of its action, the log gets one line.
@Suite struct StoreFaultTests {
    @Test func aBrokenInvariantIsRejectedAndLogged() async throws {
        try await run { api, session in
            let refused = try await session.dispatch("faulty/break")
            #expect(refused.status == 409)
            #expect(refused.code == "action-rejected")
            #expect(refused[json: "reason"] == "count-is-sound")
            try await expectGoesOn(session, from: 0)
            let errors = errors(api)
            #expect(errors.count == 1)
            #expect(errors.first?.contains(" error invariant broken store=faulty invariant=count-is-sound ") == true)
        }
    }

    @Test func aFaultThatAClientRepeatsHasABoundedNumberOfLines() async throws {
        try await TestAPI.run(kinds: [.faulty], clock: ManualClock().clock) { api async throws in
            let session = try await api.session("faulty")
            for _ in 0..<LineBudget.limit + 5 { #expect(try await session.dispatch("faulty/break").status == 409) }
            #expect(errors(api).count == LineBudget.limit)
        }
    }

    @Test func anEndlessCascadeIsStoppedAndLogged() async throws {
        try await run { api, session in
            let answer = try await session.dispatch("faulty/cascade")
            #expect(answer.status == 200)
            #expect(answer.revision == 1)
            #expect(answer.at("/state/count") == 1)
            let limit = StoreEnvironment.standard.cascadeLimit
            try await expectGoesOn(session, from: limit + 1)
            let errors = errors(api)
            #expect(errors.count == 1)
            #expect(errors.first?.contains(" error cascade stopped store=faulty limit=\(limit) dropped=1 ") == true)
        }
    }

    @Test func actionsThatNoClientWaitsForAndThatALimitRefusesAreLoggedAndCounted() async throws {
        try await run { api, session in
            for _ in 1...2 { #expect(try await session.dispatch("faulty/flood").status == 200) }
            let limit = StoreEnvironment.standard.effectLimit
            try await expectGoesOn(session, from: limit + 2)
            let errors = errors(api)
            let name = Fingerprint.of(session.id)
            let line =
                " error action lost store=faulty session=\(name) reason=too-many-effects origin=middleware type=faulty/work "
            // One line a minute.
            #expect(errors.count == 1)
            #expect(errors.first?.contains(line) == true)
            let samples = try Exposition(try await api.get("/metrics")).samples
            #expect(samples[#"storehouse_faults_total{kind="faulty",fault="too-many-effects"}"#] == 1)
        }
    }

    /// Without actions in the log, since a cascade has thousands.
    private func run(_ body: (TestAPI, LiveSession) async throws -> Void) async throws {
        try await TestAPI.run(kinds: [.faulty], logging: .info) { api in
            try await body(api, try await api.session("faulty"))
        }
    }

    private func expectGoesOn(_ session: LiveSession, from revision: Int) async throws {
        let answer = try await session.dispatch("faulty/count")
        #expect(answer.status == 200)
        #expect(answer.revision == revision + 1)
        #expect(answer.at("/state/count") == .integer(revision + 1))
    }

    private func errors(_ api: any TestServing) -> [Substring] {
        api.log.text.split(separator: "\n").filter { $0.contains(" error ") }
    }
}
