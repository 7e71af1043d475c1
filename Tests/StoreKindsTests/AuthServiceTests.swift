import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct AuthServiceTests {
    @Test(arguments: [
        (200, nil), (204, nil), (401, LoginErrorCode.invalidCredentials), (422, .invalidCredentials),
        (403, .networkError), (302, .networkError), (500, .networkError),
    ])
    func theStatusSays(_ status: Int, _ code: LoginErrorCode?) async {
        let client = ScriptedRemoteClient(always: .success(RemoteAnswer(status: status)))
        let state = await state(after: AuthService(client: client, refusals: [401, 422]))
        #expect(state.error?.code == code)
        #expect(state.isAuthenticated == (code == nil))
        if code == .networkError { #expect(state.error?.message.hasPrefix("bad-status: ") == true) }
    }

    @Test(arguments: [401, 403])
    func refusalsAreByDefault(_ status: Int) async {
        let client = ScriptedRemoteClient(always: .success(RemoteAnswer(status: status)))
        #expect(await state(after: AuthService(client: client)).error == .refused)
    }

    @Test(arguments: RemoteFailure.Code.allCases)
    func aFailedCallIsANetworkErrorWithItsCode(_ code: RemoteFailure.Code) async {
        let client = ScriptedRemoteClient(always: .failure(RemoteFailure(code, "it failed")))
        let state = await state(after: AuthService(client: client))
        #expect(state.error == LoginError(.networkError, "\(code.rawValue): it failed"))
    }

    @Test func fieldsHaveConfiguredNames() async {
        let client = ScriptedRemoteClient(always: .success(RemoteAnswer(status: 200)))
        _ = await state(
            after: AuthService(client: client, usernameName: "e-mail", passwordName: #"the "word""#))
        #expect(
            client.requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"e-mail":"some \"username\"","the \"word\"":"some password"}"#
            ])
    }

    private func state(after service: AuthService) async -> LoginState {
        let store = Store(LoginState(), reducer: LoginReducer(), middleware: [LoginMiddleware(service)])
        store.dispatch(.enteringCredential(.username(#"some "username""#)))
        store.dispatch(.enteringCredential(.password(Secret("some password"))))
        await store.dispatch(.authenticate).settled()
        return store.state
    }
}
