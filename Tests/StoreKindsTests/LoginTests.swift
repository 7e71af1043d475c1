import JSON
import RemoteServices
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct LoginTests {
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

    @Test func thePasswordIsRemovedAfterAuthentication() {
        let rules = Login.rules.reducer
        var state = Login()
        for action in [
            Login.enteringCredential("some username", nil), Login.enteringCredential(nil, "some password"),
            Login.authenticate(),
        ] {
            #expect(rules.apply(action, to: &state) == .accept)
        }
        #expect(state.credentials.password == Secret("some password"))
        rules.reduce(&state, Login.authenticated())
        #expect(state.credentials.password == Secret(""))
        #expect(state.credentials.username == "some username")
        rules.reduce(&state, Login.logout())
        #expect(state == Login())
    }
}
