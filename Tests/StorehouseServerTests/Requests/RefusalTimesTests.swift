import HTTP
import StorehouseServer
import Testing

/// Refusals that must not tell whether there is a session leave at set times after their requests.
@Suite struct RefusalTimesTests {
    private static func leavingTime(of age: Int) -> Duration { .nanoseconds(age) + RefusalTimes.delay(of: age) }

    @Test func refusalsThatTookDifferentTimesLeaveAtTheSameTime() {
        let first = Self.leavingTime(of: 0)
        for age in [1, 1000, 999_999, 5_000_000, 9_999_999] { #expect(Self.leavingTime(of: age) == first) }
        #expect(first == .milliseconds(10))
    }

    @Test func aRefusalThatTookLongerLeavesAtALaterSetTime() {
        #expect(Self.leavingTime(of: 10_000_000) == .milliseconds(20))
        #expect(Self.leavingTime(of: 1_234_567_890) == .milliseconds(1240))
    }

    /// Its own work, which takes another time for each of them, and the turns of the loop do not show.
    @Test func aRefusalLeavesAtASetTimeWhicheverTurnItIsMadeIn() async throws {
        try await TestAPI.run(kinds: [ClubKind().kind], configuration: ClubSession.configuration()) { server in
            let session = try await ClubSession.make(on: server)
            for path in [session.path, "/sessions/AAAAAAAAAAAAAAAAAAAAAA"] {
                let request = ClubSession(server, path).request(as: "carol")
                let answer = try await PlayedSource.answer(to: request, from: server.api.router, on: server.api.loop)
                #expect(answer.response.status == .forbidden)
                let age = try #require(answer.leavesAt)
                #expect(age > 0 && age % RefusalTimes.interval == 0, "\(age)")
            }
            let allowed = session.request(as: "ada")
            let answer = try await PlayedSource.answer(to: allowed, from: server.api.router, on: server.api.loop)
            #expect(answer.response.status == .ok && answer.leavesAt == nil)
        }
    }

    @Test func onlyTheNodeOfTheClientWaitsWithARefusal() async throws {
        try await TestCluster.run(kinds: [ClubKind().kind], configuration: ClubSession.configuration()) { cluster in
            let request = try await ClubSession.make(on: cluster.first).request(as: "carol")
            let (first, second) = (cluster.first.running, cluster.second.running)
            let own = try await PlayedSource.answer(to: request, from: first.router, on: first.loop, origin: 1)
            #expect(own.response.status == .forbidden && own.leavesAt == nil)
            let answer = try await PlayedSource.answer(to: request, from: second.router, on: second.loop)
            #expect(answer.response.status == .forbidden)
            let age = try #require(answer.leavesAt)
            #expect(age > 0 && age % RefusalTimes.interval == 0, "\(age)")
        }
    }
}
