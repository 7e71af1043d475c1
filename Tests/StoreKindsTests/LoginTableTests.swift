import JSON
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

/// The rules of the login: the transitions of every status at every action.
@Suite struct LoginTableTests {
    private typealias Row = TransitionRow<Login, StoreAction<Login>>

    /// Eight characters: each may have many code points.
    private static let family = "👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧é"
    private static let shortFamily = "👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧é"

    private static let idle = Login()
    private static let validating = with(idle, .validatingCredentials) {
        $0.credentials.enter(LoginSession.username, nil)
    }
    private static let valid = with(validating, .validCredentials) {
        $0.credentials.enter(nil, LoginSession.password)
    }
    private static let authenticating = with(valid, .authenticating)
    private static let authenticated = with(valid, .authenticated) { $0.credentials.forgetPassword() }
    private static let failure = with(valid, .failure) { $0.error = .refused }

    private static let states: KeyValuePairs = [
        "idle": idle, "validatingCredentials": validating, "validCredentials": valid,
        "authenticating": authenticating, "authenticated": authenticated, "failure": failure,
    ]

    /// The actions that a client can send.
    private static let requests = TransitionTable(
        states: states,
        Row(
            "enter username", Login.enteringCredential(LoginSession.username, nil),
            .becomes("validatingCredentials"), .stays, .stays,
            .rejected("authenticating"), .rejected("already-authenticated"), .stays),
        Row(
            "enter password", Login.enteringCredential(nil, LoginSession.password),
            .changes { $0 = entered(LoginSession.password, $0, .validatingCredentials) },
            .becomes("validCredentials"), .stays,
            .rejected("authenticating"), .rejected("already-authenticated"), .stays),
        Row(
            "enter family", Login.enteringCredential(nil, family),
            .changes { $0 = entered(family, $0, .validatingCredentials) },
            .changes { $0 = entered(family, $0, .validCredentials) },
            .changes { $0 = entered(family, $0, .validCredentials) },
            .rejected("authenticating"), .rejected("already-authenticated"),
            .changes { $0 = entered(family, $0, $0.status) }),
        Row(
            "enter short family", Login.enteringCredential(nil, shortFamily),
            .changes { $0 = entered(shortFamily, $0, .validatingCredentials) },
            .changes { $0 = entered(shortFamily, $0, .validatingCredentials) },
            .changes { $0 = entered(shortFamily, $0, .validatingCredentials) },
            .rejected("authenticating"), .rejected("already-authenticated"),
            .changes { $0 = entered(shortFamily, $0, $0.status) }),
        Row(
            "authenticate", Login.authenticate(),
            .rejected("invalid-credentials-format"), .rejected("invalid-credentials-format"),
            .becomes("authenticating"),
            .rejected("authenticating"), .rejected("already-authenticated"), .rejected("error-not-acknowledged")),
        Row(
            "acknowledge", Login.ackError(),
            .ignored, .ignored, .ignored, .ignored, .ignored, .becomes("validCredentials")),
        Row("log out", Login.logout(), .ignored, .ignored, .ignored, .ignored, .becomes("idle"), .ignored))

    /// The results of the auth API: they count only while it is being asked.
    private static let results = TransitionTable(
        states: states,
        Row("yes", Login.authenticated(), .ignored, .ignored, .ignored, .becomes("authenticated"), .ignored, .ignored),
        Row(
            "no", Login.failed(LoginError.refused.code, LoginError.refused.message), .ignored, .ignored, .ignored,
            .becomes("failure"), .ignored, .ignored))

    @Test func theReducerFollowsTheTable() throws {
        try Self.requests.verify(Login.rules.reducer)
        try Self.results.verify(Login.rules.reducer)
    }

    @Test func theAsynchronousReducerFollowsTheTable() async throws {
        try await Self.requests.verify(Asynchronous(Login.rules.reducer.prepared))
        try await Self.results.verify(Asynchronous(Login.rules.reducer.prepared))
    }

    /// Through whole sessions, of which no more than JSON can be seen.
    @Test(arguments: LoginHosting.allCases)
    func bothKindsFollowTheTable(_ hosting: LoginHosting) async throws {
        let table = Self.requests.mapStates(Login.elements.json)
        try await table.verify { name, state, action in
            guard let session = LoginSession(hosting), let step = LoginStep(rawValue: name) else { return .ignored }
            defer { session.store.end() }
            await session.reach(step)
            #expect(session.json == state)
            let result = await session.store.dispatch(Self.json(action))
            switch result.word {
            case "committed": return .becomes(session.json)
            case "ignored": return .ignored
            case let reason: return .rejected(Rejection(reason))
            }
        }
    }
}

extension LoginTableTests {
    private static func with(
        _ state: Login, _ status: Login.Status, _ change: (inout Login) -> Void = { _ in }
    ) -> Login {
        var state = state
        state.status = status
        change(&state)
        return state
    }

    private static func entered(_ password: String, _ state: Login, _ status: Login.Status) -> Login {
        with(state, status) { $0.credentials.enter(nil, password) }
    }

    private static func json(_ action: StoreAction<Login>) -> JSONValue {
        let type = "login/" + action.description.prefix { $0 != "{" }
        guard let (username, password) = Login.enteringCredential.values(in: action) else {
            return ["type": .string(type)]
        }
        let payload: JSONObject = username.map { ["username": .string($0)] } ?? ["password": .string(password ?? "")]
        return ["type": .string(type), "payload": .object(payload)]
    }
}
