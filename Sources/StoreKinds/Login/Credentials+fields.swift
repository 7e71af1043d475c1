import Stores

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
