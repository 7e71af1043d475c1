#if os(Linux)
    import JSON
    import Testing

    /// Which shared libraries the process has loaded, and when.
    @Suite struct LibraryTests {
        @Test func libcurlIsLoadedForTheFirstRemoteCall() async throws {
            let settings = ["STOREHOUSE_UPSTREAMS_EMBEDDED": "true", "STOREHOUSE_UPSTREAMS_ANIMAL_TIMEOUT": "3600"]
            try await ServerProcess.run(settings) { server in
                let path = try await server.sessionPath()
                let client = try server.client()
                let local = TestRequest("POST", path + "/actions", json: ["type": "counter/increment"])
                #expect(try await client.exchange(local).revision == 1)
                #expect(try !server.maps("libcurl"))
                let remote = TestRequest(
                    "POST", path + "/actions", [("Prefer", "wait=3600")], json: ["type": "animal/fetchAnimal"])
                #expect(try await client.exchange(remote).at("/state/animal/error") == .null)
                #expect(try server.maps("libcurl"))
            }
        }
    }
#endif
