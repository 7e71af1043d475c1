package import StoreHosting
import Stores

/// One half of what a person signs in with.
package enum Credential: Sendable, Hashable {
    case username(String)
    case password(Secret)
}

/// What a person signs in with, validated as it is entered.
package struct Credentials: Sendable, Hashable {
    /// How many characters make a credential valid.
    package static let shortest = 8
    /// How many characters a credential may have.
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
            isPasswordValid = Self.isValid(secret.revealed)
        }
    }

    /// Forgets the password; that it was valid is still known.
    package mutating func forgetPassword() { password = Secret("") }

    /// Whether there was a valid password that is not there any more. It is so where a state was kept without secrets; once it
    /// is authenticated, a state has forgotten the password by itself.
    package var lacksPassword: Bool { isPasswordValid && password.revealed.isEmpty }

    private static func isValid(_ text: String) -> Bool { text.count >= shortest }
}

extension Credentials: Restorable {
    package init(restoring kept: PersistedValue) throws(RestorationError) {
        username = try kept.hidden("username")
        isUsernameValid = try kept.hidden("isUsernameValid")
        password = Secret(try kept.secret("password") ?? "")
        isPasswordValid = try kept.hidden("isPasswordValid")
    }

    package func visitHidden(_ members: inout PrivateStateEncoder) {
        members.member("username", username)
        members.member("isUsernameValid", isUsernameValid)
        members.secret("password", password.revealed)
        members.member("isPasswordValid", isPasswordValid)
    }
}

extension Credentials {
    static var usernameField: Field<String> {
        .text("username", 0...longest, example: "some username").described("The user name, at most 256 characters.")
    }

    /// Not in examples: a password does not belong there.
    static var passwordField: Field<String> {
        .text("password", 0...longest, example: nil).secret()
            .described("The password, at most 256 characters; never shown again.")
    }
}

/// A text that must not be seen: neither printing nor reflecting shows it.
package struct Secret: Sendable, Hashable {
    package let revealed: String

    package init(_ text: String) { revealed = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
