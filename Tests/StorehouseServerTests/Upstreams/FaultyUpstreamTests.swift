import JSON

#if os(Linux)
    import FaultyServices
    import Stores
    import Testing

    /// The program beside services that do all that a service should not.
    @Suite(.timeLimit(.minutes(15))) struct FaultyUpstreamTests {
        @Test func whateverTheyDoTheServerIsAsItWas() async throws {
            let faults = (Fault.broken + Fault.late + Fault.shapeless + Fault.statuses + Fault.redirects)
                .compactMap(\.turns.first)
            let upstream = try FaultyUpstream { faults[$0.index % faults.count] }
            let environment = [
                "STOREHOUSE_UPSTREAMS_ANIMAL_URL": upstream.url, "STOREHOUSE_UPSTREAMS_ANIMAL_TIMEOUT": "0.5",
                "STOREHOUSE_UPSTREAMS_ANIMAL_BREAKER_FAILURES": "1000000",
            ]
            try await ServerProcess.run(environment) { server in
                let client = try server.client()
                // The connection of this client counts too, once it is accepted.
                _ = try await client.exchange(TestRequest("GET", "/healthz"))
                let files = try server.openFiles
                try await fetch(faults.count, server)
                let (threads, memory) = try (server.threads, server.residentBytes)
                for _ in 0..<2 { try await fetch(faults.count, server) }
                // A connection that is kept for another call is closed when none comes.
                await upstream.until { $0.open == 0 }
                try await eventually(client) { try server.openFiles <= files }
                // Threads of the pool that has run the effects come and go.
                try await eventually(client) { try server.threads <= threads + 4 }
                if try !server.isSanitized { #expect(try server.residentBytes - memory < 8 << 20) }
            }
            #expect(upstream.record.requests.count >= 3 * faults.count)
        }

        /// Fetches in so many sessions, each of which must leave loading.
        private func fetch(_ count: Int, _ server: ServerProcess) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    if number >= 8 { try await group.next() }
                    group.addTask {
                        let path = try await server.sessionPath()
                        let client = try server.client()
                        let fetch = TestRequest(
                            "POST", path + "/actions?select=/animal/isLoading", [("Prefer", "wait=3600")],
                            json: ["type": "animal/fetchAnimal"])
                        let response = try await client.exchange(fetch)
                        #expect(response.status == 200)
                        #expect(response.text.contains(#""state":false"#))
                        _ = try await client.exchange(TestRequest("DELETE", path))
                    }
                }
                try await group.waitForAll()
            }
        }

        /// Asks the server again and again, until it is as it should be.
        private func eventually(_ client: TestClient, _ isAsItShould: () throws -> Bool) async throws {
            try await waitUntil {
                if try isAsItShould() { return true }
                #expect(try await client.exchange(TestRequest("GET", "/healthz")).status == 200)
                return false
            }
        }
    }
#endif
