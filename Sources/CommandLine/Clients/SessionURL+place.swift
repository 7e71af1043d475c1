import Sessions
import StorehouseServer

// The texts that a user writes in the place of a URL.
extension SessionURL {
    /// The server of commands that are given no other.
    private static let defaultServer = "http://localhost:8080"

    /// The server or the session of commands that are given no other.
    package init(default environment: [String: String]) throws(UsageError) {
        let text = environment[clientVariable] ?? ""
        do throws(UsageError) {
            try self.init(text.isEmpty ? Self.defaultServer : text)
        } catch {
            throw .wrong("\(clientVariable): \(error)")
        }
    }

    /// Takes a URL, the id of a session, or `-` for the last session that a command has made.
    package init(place: String, _ environment: [String: String]) throws(UsageError) {
        if place == "-" {
            guard let address = LastSession(environment).address else {
                throw .wrong("no command has made a session yet, so '-' names none")
            }
            try self.init(address)
        } else if Self.isID(place) {
            self.init(root: try SessionURL(default: environment).root, id: place)
        } else {
            try self.init(place)
        }
    }

    /// Whether a word can only be meant as a place: no action has such a type, and no selector such a name.
    static func isPlace(_ word: String) -> Bool {
        word == "-" || isID(word) || word.contains("://")
            || !word.contains("=")
                && (word.contains(":") || word.contains("@") || word.contains("/sessions/")
                    || word.contains("/shared/"))
    }

    private static func isID(_ word: String) -> Bool { word == "me" || SessionID(word.utf8) != nil }
}

extension FlagValues {
    /// The place that a command is given, and the words behind it.
    ///
    /// - Parameter count: how many words can stand behind the place; nil for any number.
    func place(before count: Int?) throws(UsageError) -> (url: SessionURL, rest: ArraySlice<String>) {
        if let first = arguments.first, SessionURL.isPlace(first) || count.map({ arguments.count > $0 }) == true {
            return (try SessionURL(place: first, environment), arguments.dropFirst())
        }
        return (try SessionURL(default: environment), arguments[...])
    }

    /// A place that must be a session.
    func session(before count: Int? = 0) throws(UsageError) -> (url: SessionURL, rest: ArraySlice<String>) {
        let (url, rest) = try place(before: count)
        guard url.session != nil else {
            throw .wrong(
                rest.count == arguments.count
                    ? "no session is given: URL/sessions/ID, an id, or - for the last one; or set \(clientVariable)"
                    : "'\(url.text)' is the address of a server, not of a session: URL/sessions/ID")
        }
        return (url, rest)
    }

    /// A session, and not a share of one, which can only be read and sent to.
    func ownSession(before count: Int? = 0) throws(UsageError) -> (url: SessionURL, rest: ArraySlice<String>) {
        let (url, rest) = try session(before: count)
        guard url.id != nil else {
            throw .wrong("'\(url.text)' is a share, which does not allow this; give the session")
        }
        return (url, rest)
    }

    /// A revision; nil if the flag is not given.
    func revision(_ flag: CommandFlag) throws(UsageError) -> Int? {
        try self[flag].map { (text) throws(UsageError) in try Self.revision(text, flag.name) }
    }

    static func revision(_ text: String, _ name: String) throws(UsageError) -> Int {
        guard text.allSatisfy(\.isNumber), let revision = Int(text) else {
            throw .wrong("\(name) must be a revision, which is a whole number, not '\(text)'")
        }
        return revision
    }

    /// The words of a list that are separated by commas.
    func list(_ flag: CommandFlag) -> [String]? {
        self[flag].map { $0.split(separator: ",").map(String.init) }
    }
}

extension CommandArgument {
    /// The session of a command.
    static let session = CommandArgument(
        placeholder: "URL",
        summary:
            "the address of a session, its id, or - for the last one that a command has made; \(clientVariable) if left out",
        isRequired: false)

    /// The members of a payload.
    static let members = CommandArgument(
        placeholder: "key=value", summary: "a member of the payload; key:=JSON for any JSON", isRequired: false,
        isRepeatable: true)

    /// The type of an action.
    static func type(isRequired: Bool) -> CommandArgument {
        CommandArgument(
            placeholder: "TYPE", summary: "the type of the action, as GET /stores lists it", isRequired: isRequired)
    }
}
