/// A flag of the command line that sets a key.
package struct ConfigurationFlag: Sendable, Hashable {
    /// As it was written: `--port`.
    package let name: String
    /// The key: `http.port`.
    package let path: String
    package let text: String

    package init(name: String, path: String, text: String) {
        self.name = name
        self.path = path
        self.text = text
    }
}
