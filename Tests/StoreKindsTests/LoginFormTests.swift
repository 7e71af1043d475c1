import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct LoginFormTests {
    private typealias Form = TestStore<LoginForm, FormAction>

    private static let both: FormAction = .set([.username("some username"), .password(Secret("some password"))])

    private let client = ScriptedRemoteClient()

    private func form() -> Form {
        Form(
            LoginForm(), reducer: LoginForm.reducer, middleware: [FormMiddleware(AuthService(client: client))])
    }

    /// Dispatches and says what the state then is in JSON.
    private func expect(_ form: Form, _ action: FormAction, _ json: String, _ outcome: Outcome = .committed) throws {
        try form.dispatch(action, outcome) { $0 = form.state }
        #expect(form.state.text == json)
    }

    private func json(
        _ username: String = "some username", valid: Bool = true, busy: Bool = false, authenticated: Bool = false,
        error: String = "null"
    ) -> String {
        #"{"username":"\#(username)","hasValidCredentials":\#(valid),"isBusy":\#(busy),"#
            + #""isAuthenticated":\#(authenticated),"error":\#(error)}"#
    }

    @Test func validatesOnAssignment() throws {
        let form = form()
        try expect(form, .set([.username("1234567")]), json("1234567", valid: false))
        try expect(form, .set([.password(Secret("12345678"))]), json("1234567", valid: false))
        try expect(form, .set([.username("12345678")]), json("12345678"))
        try expect(form, .set([.password(Secret(""))]), json("12345678", valid: false))
        try expect(form, Self.both, json())
    }

    @Test func signsIn() async throws {
        let form = form()
        try expect(form, .authenticate, json("", valid: false), .ignored)
        try expect(form, Self.both, json())
        try expect(form, .authenticate, json(busy: true))
        try expect(form, .authenticate, json(busy: true), .ignored)
        try expect(form, Self.both, json(busy: true), .rejected("busy", index: 0))
        client.reply("{}")
        try await form.receive(.authenticated) { $0 = form.state }
        #expect(form.state.text == json(authenticated: true))
        #expect(form.state.credentials.password == Secret(""))
        try expect(form, Self.both, json(authenticated: true), .rejected("already-authenticated", index: 0))
        try expect(form, .authenticate, json(authenticated: true), .ignored)
        try expect(form, .ackError, json(authenticated: true), .ignored)
        try expect(form, .reset, json("", valid: false))
        #expect(form.state == LoginForm())
    }

    @Test func afterAnErrorValidityComesBackFromWhatWasEntered() async throws {
        let form = form()
        try expect(form, Self.both, json())
        try expect(form, .authenticate, json(busy: true))
        client.reply(status: 401, "{}")
        try await form.receive(.failed(.refused)) { $0 = form.state }
        let refused = #"{"code":"invalidCredentials","message":"the user name or the password is wrong"}"#
        #expect(form.state.text == json(valid: false, error: refused))
        try expect(form, .authenticate, json(valid: false, error: refused), .ignored)
        try expect(form, .set([.username("another name")]), json("another name", valid: false, error: refused))
        try expect(form, .ackError, json("another name"))
        try expect(form, .ackError, json("another name"), .ignored)
    }

    @Test func resettingCancelsTheCall() async throws {
        let form = form()
        try expect(form, Self.both, json())
        try expect(form, .authenticate, json(busy: true))
        await client.called(times: 1)
        try expect(form, .reset, json("", valid: false))
        await client.cancelled(times: 1)
        try await form.finish()
        #expect(form.state == LoginForm())
    }

    @Test(arguments: [FormAction.authenticated, .failed(.refused)])
    func aResultThatNobodyWaitsForIsIgnored(_ action: FormAction) throws {
        try form().dispatch(action, .ignored)
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
