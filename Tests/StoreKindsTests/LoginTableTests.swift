import JSON
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

/// The rules of the login: the transitions of every status at every action.
@Suite struct LoginTableTests {
    private typealias Row = TransitionRow<LoginState, LoginAction>

    /// Eight characters: each may have many code points.
    private static let family = "👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧é"
    private static let shortFamily = "👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧é"

    private static let idle = LoginState()
    private static let validating = with(idle, .validatingCredentials) {
        $0.credentials.enter(.username(LoginSession.username))
    }
    private static let valid = with(validating, .validCredentials) {
        $0.credentials.enter(.password(Secret(LoginSession.password)))
    }
    private static let authenticating = with(valid, .authenticating)
    private static let authenticated = with(valid, .authenticated) { $0.credentials.forgetPassword() }
    private static let failure = with(valid, .failure(.refused))

    private static let states: KeyValuePairs = [
        "idle": idle, "validatingCredentials": validating, "validCredentials": valid,
        "authenticating": authenticating, "authenticated": authenticated, "failure": failure,
    ]

    /// The actions that a client can send.
    private static let requests = TransitionTable(
        states: states,
        Row(
            "enter username", .enteringCredential(.username(LoginSession.username)),
            .becomes("validatingCredentials"), .stays, .stays,
            .rejected("authenticating"), .rejected("already-authenticated"), .stays),
        Row(
            "enter password", .enteringCredential(.password(Secret(LoginSession.password))),
            .changes { $0 = entered(.password(Secret(LoginSession.password)), $0, .validatingCredentials) },
            .becomes("validCredentials"), .stays,
            .rejected("authenticating"), .rejected("already-authenticated"), .stays),
        Row(
            "enter family", .enteringCredential(.password(Secret(family))),
            .changes { $0 = entered(.password(Secret(family)), $0, .validatingCredentials) },
            .changes { $0 = entered(.password(Secret(family)), $0, .validCredentials) },
            .changes { $0 = entered(.password(Secret(family)), $0, .validCredentials) },
            .rejected("authenticating"), .rejected("already-authenticated"),
            .changes { $0 = entered(.password(Secret(family)), $0, $0.status) }),
        Row(
            "enter short family", .enteringCredential(.password(Secret(shortFamily))),
            .changes { $0 = entered(.password(Secret(shortFamily)), $0, .validatingCredentials) },
            .changes { $0 = entered(.password(Secret(shortFamily)), $0, .validatingCredentials) },
            .changes { $0 = entered(.password(Secret(shortFamily)), $0, .validatingCredentials) },
            .rejected("authenticating"), .rejected("already-authenticated"),
            .changes { $0 = entered(.password(Secret(shortFamily)), $0, $0.status) }),
        Row(
            "authenticate", .authenticate,
            .rejected("invalid-credentials-format"), .rejected("invalid-credentials-format"),
            .becomes("authenticating"),
            .rejected("authenticating"), .rejected("already-authenticated"), .rejected("error-not-acknowledged")),
        Row(
            "acknowledge", .ackError,
            .ignored, .ignored, .ignored, .ignored, .ignored, .becomes("validCredentials")),
        Row("log out", .logout, .ignored, .ignored, .ignored, .ignored, .becomes("idle"), .ignored))

    /// The results of the auth API: they count only while it is being asked.
    private static let results = TransitionTable(
        states: states,
        Row("yes", .authenticated, .ignored, .ignored, .ignored, .becomes("authenticated"), .ignored, .ignored),
        Row("no", .failed(.refused), .ignored, .ignored, .ignored, .becomes("failure"), .ignored, .ignored))

    @Test func theReducerFollowsTheTable() throws {
        try Self.requests.verify(LoginReducer())
        try Self.results.verify(LoginReducer())
    }

    @Test func theAsynchronousReducerFollowsTheTable() async throws {
        try await Self.requests.verify(Asynchronous(LoginReducer()))
        try await Self.results.verify(Asynchronous(LoginReducer()))
    }

    /// Through whole sessions, of which no more than JSON can be seen.
    @Test(arguments: LoginHosting.allCases)
    func bothKindsFollowTheTable(_ hosting: LoginHosting) async throws {
        let table = Self.requests.mapStates(\.text)
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
        _ state: LoginState, _ status: LoginState.Status, _ change: (inout LoginState) -> Void = { _ in }
    ) -> LoginState {
        var state = state
        state.status = status
        change(&state)
        return state
    }

    private static func entered(
        _ credential: Credential, _ state: LoginState, _ status: LoginState.Status
    ) -> LoginState {
        with(state, status) { $0.credentials.enter(credential) }
    }

    private static func json(_ action: LoginAction) -> JSONValue {
        switch action {
        case .enteringCredential(.username(let name)):
            ["type": "login/enteringCredential", "payload": ["username": .string(name)]]
        case .enteringCredential(.password(let password)):
            ["type": "login/enteringCredential", "payload": ["password": .string(password.unmasked)]]
        case .authenticate: ["type": "login/authenticate"]
        case .ackError: ["type": "login/ackError"]
        case .logout: ["type": "login/logout"]
        case .authenticated, .failed: .null
        }
    }
}
