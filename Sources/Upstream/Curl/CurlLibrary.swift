import CCurl

/// libcurl as it is found when the first call is made: a dozen libraries come with it, which a server without remote
/// calls does without.
package struct CurlLibrary: Sendable {
    /// What the system calls it.
    package static let name = CCURL_LIBRARY

    private let name: String
    private let warn: @Sendable (String) -> Void
    private var hasWarned = false

    /// - Parameters:
    ///   - name: what to look for.
    ///   - warn: told once, in a sentence, if the library cannot be loaded.
    package init(name: String = Self.name, warn: @escaping @Sendable (String) -> Void = { _ in }) {
        self.name = name
        self.warn = warn
    }

    /// Loads it where it is not there yet; takes some milliseconds then.
    /// - Returns: false if it cannot be loaded. It is looked for again next time.
    mutating func load() -> Bool {
        guard let problem = ccurl_load(name) else { return true }
        if !hasWarned {
            warn("remote services cannot be called, install libcurl (Debian: libcurl4): \(String(cString: problem))")
        }
        hasWarned = true
        return false
    }
}
