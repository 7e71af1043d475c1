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

    /// The URL of a resource below the session, with what its own query says of the selection and the kind.
    ///
    /// - Parameters:
    ///   - resource: empty for the session itself.
    ///   - members: of the query; those without a value are left out.
    package func url(of resource: String = "", _ members: [(String, String?)] = []) -> String {
        address(of: resource, parameters(["select", "store"], unless: members), members)
    }

    /// The URL of the stream of events, with changes as patches and with what it shows unless the query says otherwise.
    ///
    /// - Parameters:
    ///   - select: the selection; nil for that of the query.
    ///   - shows: parameters that are true. A share has none of them.
    package func events(select: String?, shows: [String] = ["effects"]) -> HTTPURL? {
        guard session != nil else { return nil }
        let own = parameters(unless: [("select", select)])
        let extras = ["changes": "patch"].merging(id == nil ? [] : shows.map { ($0, "true") }) { $1 }
        let missing = (["changes"] + shows).filter { name in !own.contains { $0.hasPrefix(name + "=") } }
        return HTTPURL(address(of: "events", own, [("select", select)] + missing.map { ($0, extras[$0]) }))
    }

    /// The parameters of the query, but for those that are given in another way.
    private func parameters(_ names: [String]? = nil, unless members: [(String, String?)]) -> [String] {
        (query ?? "").split(separator: "&").map(String.init).filter { parameter in
            let name = String(parameter.prefix { $0 != "=" })
            return names?.contains(name) != false && !members.contains { $0.0 == name && $0.1 != nil }
        }
    }

    private func address(of resource: String, _ parameters: [String], _ members: [(String, String?)]) -> String {
        let more = members.compactMap { name, value in value.map { "\(name)=\(RemoteRequest.percentEncoded($0))" } }
        let query = (parameters + more).joined(separator: "&")
        return text + (resource.isEmpty ? "" : "/" + resource) + (query.isEmpty ? "" : "?" + query)
    }

    private static func isResource(_ names: ArraySlice<Substring>) -> Bool {
        names.isEmpty || names.count == 1 && ["events", "actions", "state"].contains(names.last)
    }
}
