import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct LoginFormTests {
    private typealias Row = TransitionRow<LoginForm, FormAction>

    private static let both: FormAction = .set([.username("some username"), .password(Secret("some password"))])

    /// A new form after these actions.
    private static func form(_ actions: FormAction...) -> LoginForm {
        var form = LoginForm()
        for action in actions { _ = LoginForm.reducer.apply(action, to: &form) }
        return form
    }

    private static let entered = form(both)
    private static let busy = form(both, .authenticate)
    private static let authenticated = form(both, .authenticate, .authenticated)
    private static let failed = form(both, .authenticate, .failed(.refused))
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
        (form(.set([.username("1234567")])), json("1234567", valid: false)),
        (form(.set([.username("1234567")]), .set([.password(Secret("12345678"))])), json("1234567", valid: false)),
        (form(.set([.password(Secret("12345678"))]), .set([.username("12345678")])), json("12345678")),
        (form(both, .set([.password(Secret(""))])), json(valid: false)),
        (entered, json()), (busy, json(busy: true)), (authenticated, json(authenticated: true)),
        (failed, json(valid: false, error: refused)),
        (
            form(both, .authenticate, .failed(.refused), .set([.username("another name")])),
            json("another name", valid: false, error: refused)
        ),
        (
            form(both, .authenticate, .failed(.refused), .set([.username("another name")]), .ackError),
            json("another name")
        ),
    ])
    func showsWhatFollowsFromWhatWasAssigned(_ form: LoginForm, _ json: String) {
        #expect(form.text == json)
    }

    @Test func everyActionInEveryState() async throws {
        let half = Self.form(.set([.username("some username")]))
        let table = TransitionTable(
            states: [
                "empty": LoginForm(), "half": half, "entered": Self.entered, "busy": Self.busy,
                "authenticated": Self.authenticated, "failed": Self.failed,
            ],
            Row(
                "set", Self.both, .becomes("entered"), .becomes("entered"), .stays,
                .rejected("busy"), .rejected("already-authenticated"), .stays),
            Row("authenticate", .authenticate, .ignored, .ignored, .becomes("busy"), .ignored, .ignored, .ignored),
            Row("acknowledge", .ackError, .ignored, .ignored, .ignored, .ignored, .ignored, .becomes("entered")),
            Row(
                "reset", .reset, .stays, .becomes("empty"), .becomes("empty"), .becomes("empty"), .becomes("empty"),
                .becomes("empty")),
            Row("yes", .authenticated, .ignored, .ignored, .ignored, .becomes("authenticated"), .ignored, .ignored),
            Row("no", .failed(.refused), .ignored, .ignored, .ignored, .becomes("failed"), .ignored, .ignored))
        try table.verify(LoginForm.reducer)
        try await table.verify(Asynchronous(LoginForm.reducer))
    }

    private let client = ScriptedRemoteClient()

    private func store() -> TestStore<LoginForm, FormAction> {
        TestStore(
            Self.entered, reducer: LoginForm.reducer, middleware: [FormMiddleware(AuthService(client: client))])
    }

    @Test(arguments: [(200, FormAction.authenticated, authenticated), (401, .failed(.refused), failed)])
    func asksTheAPI(_ status: Int, _ action: FormAction, _ result: LoginForm) throws {
        let store = store()
        try store.dispatch(.authenticate) { $0 = Self.busy }
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
        try store.dispatch(.authenticate) { $0 = Self.busy }
        #expect(client.requests.count == 1)
        try store.dispatch(.reset) { $0 = LoginForm() }
        #expect(client.cancellations == 1)
        try store.finish()
    }

    /// Not for one event is the form authenticated and busy, or has it an error and is authenticated.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func invariantsHoldAtEveryStep(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let actions: [FormAction] = [
            Self.both, .set([.password(Secret("short"))]), .authenticate, .authenticate, .ackError, .reset,
            .authenticated, .failed(.refused),
        ]
        var form = LoginForm()
        for _ in 1...300 {
            guard let action = actions.randomElement(using: &generator) else { continue }
            _ = LoginForm.reducer.apply(action, to: &form)
            #expect(!(form.isAuthenticated && form.isBusy))
            #expect(!(form.isAuthenticated && form.error != nil))
            #expect(!(form.hasValidCredentials && form.error != nil))
        }
    }
}
