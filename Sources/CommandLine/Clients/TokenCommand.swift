import JSON
import Observability
import Platform
package import Security
import StorehouseServer

/// Makes a token for a server in token mode.
package struct TokenCommand: Sendable, Hashable {
    package var secretFile: String
    package var subject: String
    /// In seconds.
    package var lifetime = 3600
    /// The permissions; nil for all but `admin`.
    package var permissions: [Permission]?
    package var stores: [String]?
    package var sessions: [String]?
    /// The name of the subject for people to read.
    package var name: String?
    package var roles: [String]?
    package var issuer: String?
    package var audience: String?
    package var inJSON = false

    /// Reads the flags of `token`.
    init(_ values: FlagValues) throws(UsageError) {
        try self.init(values, subject: .subject)
        if let text = values[.expires] { lifetime = try Self.lifetime(text, .expires, atMost: 365) }
        permissions = try values[.may].map(Self.permissions)
        (stores, sessions) = (values[.stores].map(Self.list), values[.sessions].map(Self.list))
        (issuer, audience) = (values[.issuer], values[.audience])
        inJSON = values.has(.json)
    }

    /// Reads who somebody is.
    ///
    /// - Parameter flag: names the subject.
    init(_ values: FlagValues, subject flag: CommandFlag) throws(UsageError) {
        secretFile = try values.required(.secretFile)
        subject = try values.required(flag)
        guard TokenVerifier.isSubject(subject) else {
            throw .wrong(
                "\(flag.name) must be a text of 1 to 256 bytes without control characters that does not begin with guest:"
            )
        }
        name = values[.name]
        guard name.map(ActorClaims.isName) ?? true else {
            throw .wrong("--name must be a text of 1 to 256 bytes without characters that control the text around it")
        }
        roles = try values[.roles].map(Self.roles)
    }

    /// Makes the token.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func token(now: Int = systemTime()) throws(CommandFailure) -> (text: String, expiresAt: Int) {
        if let problem = CryptoLibrary.load() {
            throw CommandFailure("libcrypto cannot be loaded (Debian package: libssl3): \(problem)")
        }
        let expiresAt = now / 1000 + lifetime
        guard let text = TokenSigner.token(claims(now / 1000, expiresAt), secret: try secret()) else {
            throw CommandFailure("libcrypto cannot sign the token")
        }
        return (text, expiresAt)
    }

    func run() throws(CommandFailure) {
        let (text, expiresAt) = try token()
        guard inJSON else {
            _ = Console.print(text)
            return
        }
        let document: JSONValue = ["token": .string(text), "expiresAt": .string(Timestamp.rfc3339(expiresAt * 1000))]
        Console.print(document.description)
    }

    private func claims(_ now: Int, _ expiresAt: Int) -> JSONValue {
        var claims: JSONObject = ["sub": .string(subject), "iat": .integer(now), "exp": .integer(expiresAt)]
        claims["name"] = name.map(JSONValue.string)
        claims["iss"] = issuer.map(JSONValue.string)
        claims["aud"] = audience.map(JSONValue.string)
        var grant = JSONObject()
        grant["may"] = permissions.map { .array($0.map { .string($0.rawValue) }) }
        grant["stores"] = stores.map { .array($0.map(JSONValue.string)) }
        grant["sessions"] = sessions.map { .array($0.map(JSONValue.string)) }
        grant["roles"] = roles.map { .array($0.map(JSONValue.string)) }
        if !grant.isEmpty { claims["storehouse"] = .object(grant) }
        return .object(claims)
    }

    /// The content of the file, as the server reads `access.secret` from it.
    private func secret() throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SecretFile.Unusable) {
            bytes = Array(try SecretFile(secretFile).text.utf8)
        } catch {
            throw CommandFailure("\(secretFile) \(error.detail)".escapedForOneLine)
        }
        guard bytes.count >= VerificationKey.minSecretBytes, bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw CommandFailure(
                "\(secretFile) must have the text of access.secret: at least \(VerificationKey.minSecretBytes) visible ASCII "
                    + "characters")
        }
        return bytes
    }

    private static func list(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }

    private static func permissions(_ text: String) throws(UsageError) -> [Permission] {
        var permissions: [Permission] = []
        for name in list(text) {
            guard let permission = Permission.ofTokens.first(where: { $0.rawValue == name }) else {
                let known = Permission.ofTokens.map(\.rawValue)
                throw .wrong("--may has no '\(name)'\(known.hint(for: name))")
            }
            permissions.append(permission)
        }
        return permissions
    }

    private static func roles(_ text: String) throws(UsageError) -> [String] {
        let roles = list(text)
        guard roles.count <= ActorClaims.maxRoles, roles.allSatisfy(ActorClaims.isRole) else {
            throw .wrong("--roles must have at most \(ActorClaims.maxRoles) roles of 1 to 64 characters")
        }
        return roles
    }

    /// The seconds of a time such as `90m`.
    ///
    /// - Parameter days: the longest time.
    static func lifetime(_ text: String, _ flag: CommandFlag, atMost days: Int) throws(UsageError) -> Int {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (1...(days * 86_400 / unit)).contains(count)
        else {
            throw .wrong(
                "\(flag.name) must be a number with s, m, h or d, such as 90m, of \(days) days at most, not '\(text)'")
        }
        return count * unit
    }
}

extension CommandFlag {
    /// The flags of the command.
    static let token = [
        secretFile, subject, name, roles, expires, may, stores, sessions, issuer, audience, json,
    ]
    /// The flags for who the user is.
    static let sender = [`as`, name, roles, secretFile.optional]

    static let `as` = CommandFlag(
        name: "--as", placeholder: "TEXT",
        summary: "be this subject, by a token signed with --secret-file")
    fileprivate static let secretFile = CommandFlag(
        name: "--secret-file", placeholder: "FILE", summary: "a file with the text of access.secret", isRequired: true,
        values: .files)

    private var optional: CommandFlag {
        var flag = self
        flag.isRequired = false
        return flag
    }

    fileprivate static let subject = CommandFlag(
        name: "--sub", placeholder: "TEXT", summary: "the subject, to which sessions belong", isRequired: true)
    fileprivate static let name = CommandFlag(
        name: "--name", placeholder: "TEXT", summary: "the name of the subject for people to read")
    fileprivate static let roles = CommandFlag(
        name: "--roles", placeholder: "LIST", summary: "the roles of the subject, separated by commas")
    fileprivate static let expires = CommandFlag(
        name: "--expires", placeholder: "TIME",
        summary: "how long it is valid, such as 90s, 30m, 8h or 7d; 1h if not given")
    fileprivate static let may = CommandFlag(
        name: "--may", placeholder: "LIST", summary: "its permissions, separated by commas")
    fileprivate static let stores = CommandFlag(
        name: "--stores", placeholder: "LIST", summary: "the store kinds that it is limited to", values: .kinds)
    fileprivate static let sessions = CommandFlag(
        name: "--sessions", placeholder: "LIST", summary: "ids of sessions of others that it may use too")
    fileprivate static let issuer = CommandFlag(
        name: "--issuer", placeholder: "TEXT", summary: "the claim iss (access.issuer)")
    fileprivate static let audience = CommandFlag(
        name: "--audience", placeholder: "TEXT", summary: "the claim aud (access.audience)")
}
