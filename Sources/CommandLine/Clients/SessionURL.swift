import HTTP
import RemoteServices
package import Upstream

/// The address of a session or of a whole server, as a user gives it on the command line.
package struct SessionURL: Sendable, Hashable {
    /// The server, with the base path if it has one, and without a slash at its end.
    package let root: String
    /// `/sessions/ID` or `/shared/SHARE`; nil for the address of a server.
    package let session: String?
    /// The query, without its question mark; nil if there is none.
    package let query: String?

    /// Takes the address of a session, of its events, actions or state, or of a server.
    package init(_ text: String) throws(UsageError) {
        guard let url = URLParts(text), url.isWeb, url.isStrict, !url.hasUserInfo else {
            // It may have a password, wherever a part of it is missing.
            let hasUserInfo = text.contains("@")
            throw .wrong(
                (hasUserInfo ? "the text with '@'" : "'\(text)'")
                    + " is not a URL of a session, such as http://localhost:8080/sessions/ID"
                    + (hasUserInfo ? "; give a user and a password with --header 'Authorization: …'" : ""))
        }
        let whole = text.prefix { $0 != "#" }
        let parts = whole.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        query = parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : nil
        var names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        while names.last?.isEmpty == true { names.removeLast() }
        // The scheme, nothing and the host are first.
        let place = names.indices.dropFirst(3).dropLast().last { index in
            ["sessions", "shared"].contains(names[index]) && Self.isResource(names[(index + 2)...])
        }
        root = names[..<(place ?? names.endIndex)].joined(separator: "/")
        session = place.map { "/\(names[$0])/\(names[$0 + 1])" }
    }

    /// The address of a session of the server.
    package init(root: String, id: String) {
        self.root = root
        session = "/sessions/" + id
        query = nil
    }

    /// The id; nil for a share.
    package var id: String? {
        session.flatMap { $0.hasPrefix("/sessions/") ? String($0.dropFirst("/sessions/".count)) : nil }
    }

    package var text: String { root + (session ?? "") }

    /// The URL of the stream of events, with changes as patches and with effects unless the query says otherwise.
    ///
    /// - Parameter select: the selection; nil for that of the query.
    package func events(select: String?) -> HTTPURL? {
        guard let session else { return nil }
        var parameters = (query ?? "").split(separator: "&").map(String.init)
        func has(_ name: String) -> Bool { parameters.contains { $0.hasPrefix(name + "=") } }
        if let select {
            parameters.removeAll { $0.hasPrefix("select=") }
            parameters.append("select=" + RemoteRequest.percentEncoded(select))
        }
        if !has("changes") { parameters.append("changes=patch") }
        if !has("effects"), session.hasPrefix("/sessions/") { parameters.append("effects=true") }
        return HTTPURL(root + session + "/events?" + parameters.joined(separator: "&"))
    }

    private static func isResource(_ names: ArraySlice<Substring>) -> Bool {
        names.isEmpty || names.count == 1 && ["events", "actions", "state"].contains(names.last)
    }
}
