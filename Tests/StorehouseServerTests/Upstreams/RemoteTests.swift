import JSON
import StorehouseServer
import Testing

/// Remote services through the real libcurl, over real sockets.
@Suite struct RemoteTests {
    private static let animals: [JSONValue] = ["Cat", "Dog", "Crow", "Horse", "Iguana", "Cow", "Racoon"]
    private static let wait = [("Prefer", "wait=3600")]

    @Test(arguments: ["app", "animal"])
    func anAnimalsNameArrives(_ store: String) async throws {
        try await RealRemotes.run(maxDelay: .milliseconds(20)) { animal, auth in
            try await TestAPI.run(animal: animal, auth: auth) { api in
                let session = try await api.session(store)
                let events = try await session.events(query: "?select=/animal")
                #expect(try await events.state().state?["isLoading"] == false)
                let answer = try await session.dispatch("animal/fetchAnimal", fields: Self.wait)
                let name = try #require(answer.at("/state/animal/currentAnimal"))
                #expect(Self.animals.contains(name))
                #expect(answer.at("/state/animal/error") == .null)
                #expect(answer.revision == 2)
                #expect(try await events.states(upTo: 2).last?.state?["currentAnimal"] == name)
            }
        }
    }

    @Test(arguments: [
        ("app", "some password", "authenticated"), ("login", "some password", "authenticated"),
        ("app", "another password", "failure"), ("login", "another password", "failure"),
    ])
    func signingInAsksTheRemoteService(_ store: String, _ password: String, _ status: JSONValue) async throws {
        try await RealRemotes.run { animal, auth in
            try await TestAPI.run(animal: animal, auth: auth) { api in
                let session = try await api.session(store)
                _ = try await session.dispatch("login/enteringCredential", ["username": "some username"])
                _ = try await session.dispatch("login/enteringCredential", ["password": .string(password)])
                let answer = try await session.dispatch("login/authenticate", fields: Self.wait)
                #expect(answer[json: "effects"] == ["login.authenticate"])
                #expect(answer.at("/state/login/status") == status)
                #expect(answer.at("/state/login/isLoading") == false)
                let code = answer.at("/state/login/error/code")
                #expect(code == (status == "failure" ? "invalidCredentials" : nil))
            }
        }
    }

    @Test(arguments: [("some password", true), ("another password", false)])
    func theFormUsesTheAuthServiceToo(_ password: String, _ isRight: Bool) async throws {
        try await RealRemotes.run { animal, auth in
            try await TestAPI.run(animal: animal, auth: auth) { api in
                let session = try await api.session("login-form")
                _ = try await session.dispatch(
                    "form/set", ["username": "some username", "password": .string(password)])
                let answer = try await session.dispatch("form/authenticate", fields: Self.wait)
                #expect(answer.at("/state/form/isAuthenticated") == .bool(isRight))
                #expect(answer.at("/state/form/isBusy") == false)
                #expect((answer.at("/state/form/error") == .null) == isRight)
            }
        }
    }

    @Test func anUnreachableServiceIsAnErrorInTheState() async throws {
        // Nobody listens on port 1, and no test can be given it.
        try await RealRemotes.run(url: "http://127.0.0.1:1") { animal, auth in
            try await TestAPI.run(animal: animal, auth: auth) { api in
                let session = try await api.session()
                let fetched = try await session.dispatch("animal/fetchAnimal", fields: Self.wait)
                #expect(fetched.at("/state/animal/error/code") == "unreachable")
                #expect(fetched.at("/state/animal/currentAnimal") == "")
                #expect(fetched.at("/state/animal/isLoading") == false)
                _ = try await session.dispatch("login/enteringCredential", ["username": "some username"])
                _ = try await session.dispatch("login/enteringCredential", ["password": "some password"])
                let answer = try await session.dispatch("login/authenticate", fields: Self.wait)
                #expect(answer.at("/state/login/error/code") == "networkError")
                #expect(answer.at("/state/login/error/message")?.asString?.contains("unreachable") == true)
            }
        }
    }

    @Test func aSlowServiceIsATimeout() async throws {
        try await RealRemotes.run(maxDelay: .seconds(100_000), timeout: .milliseconds(50)) {
            animal, auth in
            try await TestAPI.run(animal: animal, auth: auth) { api in
                let session = try await api.session("animal")
                let answer = try await session.dispatch("animal/fetchAnimal", fields: Self.wait)
                #expect(answer.at("/state/animal/error/code") == "timeout")
                #expect(answer.at("/state/animal/isLoading") == false)
            }
        }
    }

    @Test func theLatestFetchWinsAndACancelledOneIsForgotten() async throws {
        try await RealRemotes.run(maxDelay: .seconds(100_000)) { animal, auth in
            try await TestAPI.run(animal: animal, auth: auth) { api in
                let session = try await api.session("animal")
                for _ in 0..<3 { _ = try await session.dispatch("animal/fetchAnimal") }
                #expect(try await session.read()[json: "effects"] == ["animal.fetch"])
                let cancelled = try await session.dispatch("animal/cancelFetch")
                #expect(cancelled.at("/state/animal/currentAnimal") == "")
                #expect(try await session.read()[json: "effects"] == [])
                #expect(try await session.revision() == 4)
            }
        }
    }
}
