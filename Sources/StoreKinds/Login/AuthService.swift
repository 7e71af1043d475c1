package import JSON
package import RemoteServices
import StoreHosting
import Stores

/// The client of the auth API.
package struct AuthService: Sendable {
    /// The format of the request body.
    package enum Body: String, Sendable, CaseIterable {
        case json
        /// Form fields, as in OAuth 2 (RFC 6749, 4.3.2).
        case form
    }

    private let client: any RemoteClient
    private let usernameField: String
    private let passwordField: String
    private let body: Body
    private let fields: [(name: String, value: String)]
    private let rejectionStatuses: Set<Int>
    private let successPointer: JSONPointer?

    /// - Parameters:
    ///   - usernameField: the member of the body for the user name.
    ///   - passwordField: the member of the body for the password.
    ///   - body: the format of the body.
    ///   - fields: further members of the body. They may be secret.
    ///   - rejectionStatuses: the statuses that mean wrong credentials.
    ///   - successPointer: the place of a value that a successful response must have; nil if the status is enough.
    package init(
        client: any RemoteClient, usernameField: String = "username", passwordField: String = "password",
        body: Body = .json, fields: [String: String] = [:], rejectionStatuses: Set<Int> = [401, 403],
        successPointer: JSONPointer? = nil
    ) {
        self.client = client
        self.usernameField = usernameField
        self.passwordField = passwordField
        self.body = body
        self.fields = fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        self.rejectionStatuses = rejectionStatuses
        self.successPointer = successPointer
    }

    /// Signs in.
    ///
    /// - Returns: the error if the API said no; nil if it said yes.
    package func authenticate(_ credentials: Credentials) async throws(RemoteFailure) -> LoginError? {
        try await client.call(request(for: credentials)) { answer throws(RemoteFailure) in
            // The configured statuses come before the check for success.
            if rejectionStatuses.contains(answer.status) { return .refused }
            try answer.requireSuccess()
            if let successPointer { try Self.require(successPointer, in: answer) }
            return nil
        }
    }

    private static func require(_ successPointer: JSONPointer, in answer: RemoteResponse) throws(RemoteFailure) {
        switch successPointer.value(in: try answer.json()) {
        case nil, .null, .bool(false), .string(""):
            throw RemoteFailure(.badBody, "the answer has nothing at \(successPointer)")
        default: break
        }
    }

    private func request(for credentials: Credentials) -> RemoteRequest {
        let own = [
            (name: usernameField, value: credentials.username),
            (name: passwordField, value: credentials.password.unmasked),
        ]
        let members = own + fields.filter { $0.name != usernameField && $0.name != passwordField }
        if case .form = body { return .form(members) }
        var json = JSONWriter()
        json.object { json in
            for member in members { json.member(name: member.name, member.value) }
        }
        return RemoteRequest(method: "POST", body: json.finish(), contentType: "application/json")
    }
}

extension AuthService {
    private static let usernameSetting = RemoteService.Setting.text(
        "usernameField", "username", "the member of the body with the user name")
    private static let passwordSetting = RemoteService.Setting.text(
        "passwordField", "password", "the member of the body with the password")
    private static let rejectionSetting = RemoteService.Setting.statuses(
        "noStatuses", [401, 403], in: 400...599, "the statuses that mean that the credentials are wrong")
    private static let bodySetting = RemoteService.Setting.choice(
        "body", Body.json, "the format of the body: a JSON object, or a form as in OAuth 2")
    private static let fieldsSetting = RemoteService.Setting.secrets(
        "fields",
        "further members of the body; values are secret (in the environment: `name: value`, separated by commas)")
    private static let pointerSetting = RemoteService.Setting.optionalPointer(
        "pointer",
        "the member that a successful response must contain, such as `/access_token` (JSON Pointer); null if the status is enough"
    )

    /// The auth API as a configuration has it. Its demo knows one user.
    package static let remote = RemoteService(
        "auth",
        settings: [
            usernameSetting, passwordSetting, rejectionSetting, bodySetting, fieldsSetting, pointerSetting,
        ],
        demoPath: "login"
    ) { request in
        guard request.method == "POST", request.target == nil else { return .json([:], status: 404) }
        guard let body = try? JSONValue(parsing: request.body) else {
            return .json(["detail": "Send {\"username\",\"password\"}."], status: 400)
        }
        guard body["username"]?.asString == "some username", body["password"]?.asString == "some password" else {
            return .json(["detail": "Nobody has this name and password."], status: 401)
        }
        let token = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined()
        return .json(["token": .string(token)])
    }

    /// The client that a server provides, with the configured settings.
    package init(_ clients: RemoteClients) {
        let name = Self.remote.name
        self.init(
            client: clients[name], usernameField: clients.value(of: Self.usernameSetting, for: name),
            passwordField: clients.value(of: Self.passwordSetting, for: name),
            body: clients.value(of: Self.bodySetting, for: name),
            fields: clients.value(of: Self.fieldsSetting, for: name),
            rejectionStatuses: Set(clients.value(of: Self.rejectionSetting, for: name)),
            successPointer: clients.value(of: Self.pointerSetting, for: name))
    }
}
