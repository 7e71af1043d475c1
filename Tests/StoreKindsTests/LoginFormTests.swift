import JSON
import RemoteServices
import StoreHosting
import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct LoginFormTests {
    private typealias Row = TransitionRow<LoginForm, StoreAction<LoginForm>>

    private static let both: StoreAction<LoginForm> = LoginForm.set("some username", "some password")

    /// A new form after these actions.
    private static func form(_ actions: StoreAction<LoginForm>...) -> LoginForm {
        var form = LoginForm()
        for action in actions { _ = LoginForm.rules.reducer.apply(action, to: &form) }
        return form
    }

    private static let entered = form(both)
    private static let busy = form(both, LoginForm.authenticate())
    private static let authenticated = form(both, LoginForm.authenticate(), LoginForm.authenticated())
    private static let failed = form(
        both, LoginForm.authenticate(), LoginForm.failed(LoginError.refused.code, LoginError.refused.message))
    private static let refused = #"{"code":"invalidCredentials","message":"the user name or the password is wrong"}"#

    private static func json(
        _ username: String = "some username", valid: Bool = true, busy: Bool = false, authenticated: Bool = false,
        error: String = "null"
    ) -> String {
        #"{"username":"\#(username)","hasValidCredentials":\#(valid),"isBusy":\#(busy),"#
            + #""isAuthenticated":\#(authenticated),"error":\#(error)}"#
    }

    @Test(arguments: [
        (LoginForm(), json("", valid: false)),
        (form(LoginForm.set("1234567", nil)), json("1234567", valid: false)),
        (form(LoginForm.set("1234567", nil), LoginForm.set(nil, "12345678")), json("1234567", valid: false)),
        (form(LoginForm.set(nil, "12345678"), LoginForm.set("12345678", nil)), json("12345678")),
        (form(both, LoginForm.set(nil, "")), json(valid: false)),
        (entered, json()), (busy, json(busy: true)), (authenticated, json(authenticated: true)),
        (failed, json(valid: false, error: refused)),
        (
            form(
                both, LoginForm.authenticate(), LoginForm.failed(LoginError.refused.code, LoginError.refused.message),
                LoginForm.set("another name", nil)),
            json("another name", valid: false, error: refused)
        ),
        (
            form(
                both, LoginForm.authenticate(), LoginForm.failed(LoginError.refused.code, LoginError.refused.message),
                LoginForm.set("another name", nil), LoginForm.ackError()),
            json("another name")
        ),
    ])
    func showsWhatFollowsFromWhatWasAssigned(_ form: LoginForm, _ json: String) {
        #expect(LoginForm.elements.json(form) == json)
    }

    @Test func everyActionInEveryState() async throws {
        let half = Self.form(LoginForm.set("some username", nil))
        let table = TransitionTable(
            states: [
                "empty": LoginForm(), "half": half, "entered": Self.entered, "busy": Self.busy,
                "authenticated": Self.authenticated, "failed": Self.failed,
            ],
            Row(
                "set", Self.both, .becomes("entered"), .becomes("entered"), .stays,
                .rejected("busy"), .rejected("already-authenticated"), .stays),
            Row(
                "authenticate", LoginForm.authenticate(), .ignored, .ignored, .becomes("busy"), .ignored, .ignored,
                .ignored),
            Row(
                "acknowledge", LoginForm.ackError(), .ignored, .ignored, .ignored, .ignored, .ignored,
                .becomes("entered")),
            Row(
                "reset", LoginForm.reset(), .stays, .becomes("empty"), .becomes("empty"), .becomes("empty"),
                .becomes("empty"),
                .becomes("empty")),
            Row(
                "yes", LoginForm.authenticated(), .ignored, .ignored, .ignored, .becomes("authenticated"), .ignored,
                .ignored),
            Row(
                "no", LoginForm.failed(LoginError.refused.code, LoginError.refused.message), .ignored, .ignored,
                .ignored, .becomes("failed"), .ignored, .ignored))
        try table.verify(LoginForm.rules.reducer)
        try await table.verify(Asynchronous(LoginForm.rules.reducer.prepared))
    }

    private let client = ScriptedRemoteClient()

    private func store() -> TestStore<LoginForm, StoreAction<LoginForm>> {
        TestStore(
            Self.entered, reducer: LoginForm.rules.reducer,
            middleware: LoginForm.rules.middleware(RemoteClients(["auth": client])))
    }

    @Test(arguments: [
        (200, LoginForm.authenticated(), authenticated),
        (401, LoginForm.failed(LoginError.refused.code, LoginError.refused.message), failed),
    ])
    func asksTheAPI(_ status: Int, _ action: StoreAction<LoginForm>, _ result: LoginForm) throws {
        let store = store()
        try store.dispatch(LoginForm.authenticate()) { $0 = Self.busy }
        client.reply(status: status, "{}")
        try store.receive(action) { $0 = result }
        try store.finish()
    }

    @Test func thePasswordIsRemovedAfterAuthentication() {
        #expect(Self.busy.credentials.password == Secret("some password"))
        #expect(Self.authenticated.credentials.password == Secret(""))
    }

    @Test func resettingCancelsTheCall() throws {
        let store = store()
        try store.dispatch(LoginForm.authenticate()) { $0 = Self.busy }
        #expect(client.requests.count == 1)
        try store.dispatch(LoginForm.reset()) { $0 = LoginForm() }
        #expect(client.cancellations == 1)
        try store.finish()
    }

    /// Not for one event is the form authenticated and busy, or has it an error and is authenticated.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func invariantsHoldAtEveryStep(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let actions: [StoreAction<LoginForm>] = [
            Self.both, LoginForm.set(nil, "short"), LoginForm.authenticate(), LoginForm.authenticate(),
            LoginForm.ackError(), LoginForm.reset(),
            LoginForm.authenticated(), LoginForm.failed(LoginError.refused.code, LoginError.refused.message),
        ]
        var form = LoginForm()
        for _ in 1...300 {
            guard let action = actions.randomElement(using: &generator) else { continue }
            _ = LoginForm.rules.reducer.apply(action, to: &form)
            #expect(!(form.isAuthenticated && form.isBusy))
            #expect(!(form.isAuthenticated && form.error != nil))
            #expect(!(form.hasValidCredentials && form.error != nil))
        }
    }
}
