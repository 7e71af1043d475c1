import JSON
import RemoteServices
import StoreKinds
import Stores
import StoresTesting
import Testing

@Suite struct AuthServiceTests {
    @Test(arguments: [
        (200, nil), (204, nil), (401, LoginErrorCode.invalidCredentials), (422, .invalidCredentials),
        (403, .networkError), (302, .networkError), (500, .networkError),
    ])
    func theStatusDecides(_ status: Int, _ code: LoginErrorCode?) async {
        let client = ScriptedRemoteClient(always: .success(RemoteResponse(status: status)))
        let error = await error(of: AuthService(client: client, rejectionStatuses: [401, 422]))
        #expect(error?.code == code)
        #expect((error == nil) == (code == nil))
        if code == .networkError { #expect(error?.message.hasPrefix("bad-status: ") == true) }
    }

    @Test(arguments: [401, 403])
    func refusalsAreByDefault(_ status: Int) async {
        let client = ScriptedRemoteClient(always: .success(RemoteResponse(status: status)))
        #expect(await error(of: AuthService(client: client)) == .refused)
    }

    @Test(arguments: RemoteFailure.Code.allCases)
    func aFailedCallIsANetworkErrorWithItsCode(_ code: RemoteFailure.Code) async {
        let client = ScriptedRemoteClient(always: .failure(RemoteFailure(code, "it failed")))
        let error = await error(of: AuthService(client: client))
        #expect(error == LoginError(.networkError, "\(code.rawValue): it failed"))
    }

    @Test func fieldsHaveConfiguredNames() async {
        let client = ScriptedRemoteClient(always: .success(RemoteResponse(status: 200)))
        _ = await error(
            of: AuthService(client: client, usernameField: "e-mail", passwordField: #"the "word""#))
        #expect(
            client.requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"e-mail":"some \"username\"","the \"word\"":"some password"}"#
            ])
    }

    /// The password grant of OAuth 2 (RFC 6749, 4.3).
    @Test func aFormIsSentWithItsFields() async {
        let client = ScriptedRemoteClient(always: .success(RemoteResponse(status: 200)))
        _ = await error(
            of: AuthService(
                client: client, body: .form,
                fields: ["grant_type": "password", "client_id": "a&b", "password": "not this"]))
        #expect(
            client.requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                "username=some%20%22username%22&password=some%20password&client_id=a%26b&grant_type=password"
            ])
        #expect(client.requests.map(\.contentType) == ["application/x-www-form-urlencoded"])
        #expect(client.requests.map(\.method) == ["POST"])
    }

    @Test(arguments: [
        (200, #"{"access_token":"a"}"#, "application/json;charset=UTF-8", nil),
        (200, #"{"access_token":""}"#, "application/json", "bad-body"), (200, "{}", "application/json", "bad-body"),
        (200, #"{"access_token":null}"#, "application/json", "bad-body"), (204, "", "", "bad-body"),
        (200, #"{"access_token":"a"}"#, "text/html", "bad-body"), (500, "{}", "application/json", "bad-status"),
        (400, #"{"error":"invalid_grant"}"#, "application/json", "refused"),
    ])
    func aResponseMustHaveTheSuccessPointer(_ status: Int, _ body: String, _ type: String, _ code: String?) async {
        let answer = RemoteResponse(status: status, contentType: type.isEmpty ? nil : type, body: Array(body.utf8))
        let client = ScriptedRemoteClient(always: .success(answer))
        let error = await error(
            of: AuthService(
                client: client, body: .form, rejectionStatuses: [400, 401],
                successPointer: JSONPointer(tokens: ["access_token"])))
        #expect((error == nil) == (code == nil))
        #expect((error == .refused) == (code == "refused"))
        if let code, code != "refused" { #expect(error?.message.hasPrefix("\(code): ") == true) }
    }

    /// The error that the login shows; nil if the API said yes.
    private func error(of service: AuthService) async -> LoginError? {
        var credentials = Credentials()
        credentials.enter(#"some "username""#, "some password")
        do throws(RemoteFailure) {
            return try await service.authenticate(credentials)
        } catch {
            return LoginError(error)
        }
    }
}
