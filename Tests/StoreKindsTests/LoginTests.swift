import JSON
import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct LoginTests {
    /// What a client does, and for each status in their order what comes of it: outcome, and status then.
    struct Row: Sendable {
        let action: String
        let payload: JSONObject
        let results: [(word: String, status: String)]

        init(_ action: String, _ payload: JSONObject = [:], _ results: (String, String)...) {
            self.action = action
            self.payload = payload
            self.results = results.map { (word: $0.0, status: $0.1) }
        }
    }

    static let table = [
        Row(
            "login/enteringCredential", ["username": "12345678"],
            ("committed", "validatingCredentials"), ("committed", "validatingCredentials"),
            ("committed", "validCredentials"), ("authenticating", "authenticating"),
            ("already-authenticated", "authenticated"), ("committed", "failure")),
        Row(
            "login/enteringCredential", ["password": "👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧é"],
            ("committed", "validatingCredentials"), ("committed", "validCredentials"),
            ("committed", "validCredentials"), ("authenticating", "authenticating"),
            ("already-authenticated", "authenticated"), ("committed", "failure")),
        Row(
            "login/enteringCredential", ["password": "👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧é"],
            ("committed", "validatingCredentials"), ("committed", "validatingCredentials"),
            ("committed", "validatingCredentials"), ("authenticating", "authenticating"),
            ("already-authenticated", "authenticated"), ("committed", "failure")),
        Row(
            "login/authenticate", [:],
            ("invalid-credentials-format", "idle"), ("invalid-credentials-format", "validatingCredentials"),
            ("committed", "authenticating"), ("authenticating", "authenticating"),
            ("already-authenticated", "authenticated"), ("error-not-acknowledged", "failure")),
        Row(
            "login/ackError", [:],
            ("ignored", "idle"), ("ignored", "validatingCredentials"), ("ignored", "validCredentials"),
            ("ignored", "authenticating"), ("ignored", "authenticated"), ("committed", "validCredentials")),
        Row(
            "login/logout", [:],
            ("ignored", "idle"), ("ignored", "validatingCredentials"), ("ignored", "validCredentials"),
            ("ignored", "authenticating"), ("committed", "idle"), ("ignored", "failure")),
    ]

    @Test(arguments: LoginHosting.allCases, table)
    func everyActionAtEveryStatus(_ hosting: LoginHosting, _ row: Row) async throws {
        for (step, expected) in zip(LoginStep.allCases, row.results) {
            let session = try #require(LoginSession(hosting))
            await session.reach(step)
            #expect(session.json.hasPrefix(#"{"status":"\#(step)""#))
            let body: JSONValue = ["type": .string(row.action), "payload": .object(row.payload)]
            let result = await session.store.dispatch(body)
            #expect(result.word == expected.word, "\(row.action) \(step)")
            #expect(session.json.hasPrefix(#"{"status":"\#(expected.status)""#), "\(row.action) \(step)")
            session.store.end()
        }
    }

    /// What the API says, on a status of the internal actions' own.
    @Test(arguments: LoginStep.allCases)
    func resultsCountOnlyWhileAuthenticating(_ step: LoginStep) async throws {
        let refused = LoginError.refused
        for (action, status) in [
            (LoginAction.authenticated, LoginState.Status.authenticated), (.failed(refused), .failure(refused)),
        ] {
            var state = LoginState()
            state.status = step.status
            let next = try await Asynchronous(LoginReducer()).reduce(state, action)
            #expect(next?.status == (step == .authenticating ? status : nil))
            let decision = LoginReducer().apply(action, to: &state)
            #expect(decision == (step == .authenticating ? .accept : .ignore))
        }
    }

    @Test(arguments: [
        (
            LoginStep.idle,
            #"{"status":"idle","hasValidCredentials":false,"isLoading":false,"isAuthenticated":false,"error":null}"#
        ),
        (
            .validCredentials,
            #"{"status":"validCredentials","hasValidCredentials":true,"isLoading":false,"#
                + #""isAuthenticated":false,"error":null}"#
        ),
        (
            .authenticating,
            #"{"status":"authenticating","hasValidCredentials":false,"isLoading":true,"#
                + #""isAuthenticated":false,"error":null}"#
        ),
        (
            .authenticated,
            #"{"status":"authenticated","hasValidCredentials":false,"isLoading":false,"#
                + #""isAuthenticated":true,"error":null}"#
        ),
        (
            .failure,
            #"{"status":"failure","hasValidCredentials":false,"isLoading":false,"isAuthenticated":false,"#
                + #""error":{"code":"invalidCredentials","message":"the user name or the password is wrong"}}"#
        ),
    ])
    func theViewModelFollowsFromTheStatus(_ step: LoginStep, _ json: String) async throws {
        for hosting in LoginHosting.allCases {
            let session = try #require(LoginSession(hosting))
            await session.reach(step)
            #expect(session.json == json)
            session.store.end()
        }
    }

    @Test(arguments: LoginHosting.allCases)
    func anErrorStaysUntilItIsAcknowledgedThenWhatWasEnteredCounts(_ hosting: LoginHosting) async throws {
        let session = try #require(LoginSession(hosting))
        await session.reach(.failure)
        _ = await session.enter("password", "short")
        #expect(session.json.hasPrefix(#"{"status":"failure""#))
        _ = await session.store.dispatch(["type": "login/ackError"])
        #expect(session.json.hasPrefix(#"{"status":"validatingCredentials""#))
    }

    @Test(arguments: LoginHosting.allCases)
    func afterSigningOutBothCredentialsAreForgotten(_ hosting: LoginHosting) async throws {
        let session = try #require(LoginSession(hosting))
        await session.reach(.authenticated)
        _ = await session.store.dispatch(["type": "login/logout"])
        _ = await session.enter("username", LoginSession.username)
        #expect(session.json.hasPrefix(#"{"status":"validatingCredentials""#))
    }

    @Test(arguments: LoginHosting.allCases)
    func theAPIIsAskedWithBoth(_ hosting: LoginHosting) async throws {
        let session = try #require(LoginSession(hosting))
        await session.reach(.authenticated)
        #expect(
            session.client.requests == [
                RemoteRequest(
                    method: "POST",
                    body: Array(
                        #"{"username":"some username","password":"correct horse battery staple"}"#.utf8),
                    contentType: "application/json")
            ])
    }

    @Test func thePasswordIsForgottenOnceItHasServed() {
        var state = LoginState()
        for action in [
            LoginAction.enteringCredential(.username("some username")),
            .enteringCredential(.password(Secret("some password"))), .authenticate,
        ] {
            #expect(LoginReducer().apply(action, to: &state) == .accept)
        }
        #expect(state.credentials.password == Secret("some password"))
        LoginReducer().reduce(&state, .authenticated)
        #expect(state.credentials.password == Secret(""))
        #expect(state.credentials.username == "some username")
        LoginReducer().reduce(&state, .logout)
        #expect(state == LoginState())
    }
}

extension LoginStep {
    fileprivate var status: LoginState.Status {
        switch self {
        case .idle: .idle
        case .validatingCredentials: .validatingCredentials
        case .validCredentials: .validCredentials
        case .authenticating: .authenticating
        case .authenticated: .authenticated
        case .failure: .failure(.refused)
        }
    }
}
