package import StoreHosting
import Stores

/// A user name or a password.
package enum Credential: Sendable, Hashable {
    case username(String)
    case password(Secret)
}

/// A user name and a password, validated when they are entered.
package struct Credentials: Sendable, Hashable {
    /// The minimum length of a valid credential in characters.
    package static let shortest = 8
    /// The maximum length of a credential in characters.
    package static let longest = 256

    package private(set) var username = ""
    package private(set) var password = Secret("")
    private var isUsernameValid = false
    private var isPasswordValid = false

    package init() {}

    /// Whether both were valid when they were entered.
    package var areValid: Bool { isUsernameValid && isPasswordValid }

    package mutating func enter(_ credential: Credential) {
        switch credential {
        case .username(let text):
            username = text
            isUsernameValid = Self.isValid(text)
        case .password(let secret):
            password = secret
            isPasswordValid = Self.isValid(secret.unmasked)
        }
    }

    /// Removes the password, but remembers that it was valid.
    package mutating func forgetPassword() { password = Secret("") }

    /// Whether a valid password is missing: after a restart without a secret sealer, and after authentication, which
    /// removes it.
    package var lacksPassword: Bool { isPasswordValid && password.unmasked.isEmpty }

    private static func isValid(_ text: String) -> Bool { text.count >= shortest }
}

extension Credentials: Restorable {
    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        username = try persisted.privateMember("username")
        isUsernameValid = try persisted.privateMember("isUsernameValid")
        password = Secret(try persisted.secret("password") ?? "")
        isPasswordValid = try persisted.privateMember("isPasswordValid")
    }

    package func encodePrivate(into members: inout PrivateStateEncoder) {
        members.member("username", username)
        members.member("isUsernameValid", isUsernameValid)
        members.secret("password", password.unmasked)
        members.member("isPasswordValid", isPasswordValid)
    }
}

extension Credentials {
    static var usernameField: Field<String> {
        .text("username", 0...longest, example: "some username").described("The user name, at most 256 characters.")
    }

    /// Left out of examples, because it may hold a password.
    static var passwordField: Field<String> {
        .text("password", 0...longest, example: nil).secret()
            .described("The password, at most 256 characters; never shown again.")
    }
}

/// A string that printing and reflection do not show.
package struct Secret: Sendable, Hashable {
    package let unmasked: String

    package init(_ text: String) { unmasked = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
