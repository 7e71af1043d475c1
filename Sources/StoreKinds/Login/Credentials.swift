package import StoreHosting
import Stores

/// A user name and a password, validated when they are entered.
package struct Credentials: Sendable, Hashable {
    /// The minimum length of a valid credential in characters.
    package static let shortest = 8
    /// The maximum length of a credential in characters.
    package static let longest = 256

    package internal(set) var username = ""
    package internal(set) var password = Secret("")
    var isUsernameValid = false
    var isPasswordValid = false

    package init() {}

    /// Whether both were valid when they were entered.
    package var areValid: Bool { isUsernameValid && isPasswordValid }

    /// Enters a user name, a password or both.
    package mutating func enter(_ username: String?, _ password: String?) {
        if let username {
            self.username = username
            isUsernameValid = Self.isValid(username)
        }
        if let password {
            self.password = Secret(password)
            isPasswordValid = Self.isValid(password)
        }
    }

    /// Removes the password, but remembers that it was valid.
    package mutating func forgetPassword() { password = Secret("") }

    /// Whether a valid password is missing: after a restart without a secret sealer, and after authentication, which
    /// removes it.
    package var lacksPassword: Bool { isPasswordValid && password.unmasked.isEmpty }

    private static func isValid(_ text: String) -> Bool { text.count >= shortest }
}

extension Credentials {
    /// Clients see none of them.
    static let elements = StoreElements<Credentials> {
        Member("username", \.username, .hidden)
        Member("isUsernameValid", \.isUsernameValid, .hidden)
        Member("password", \.password)
        Member("isPasswordValid", \.isPasswordValid, .hidden)
    }

    static var usernameField: Field<String> {
        .text("username", 0...longest, example: "some username").described("The user name, at most 256 characters.")
    }

    /// Left out of examples, because it may hold a password.
    static var passwordField: Field<String> {
        .text("password", 0...longest, example: nil).secret()
            .described("The password, at most 256 characters; never shown again.")
    }
}
