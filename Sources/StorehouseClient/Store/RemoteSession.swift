/// Which session of a server a store follows.
public struct RemoteSession: Sendable, Hashable {
    private enum Place: Hashable, Sendable {
        case mine(kind: String?)
        case id(String)
        case share(String)
    }

    private let place: Place

    /// That of the user, of the kind of the store.
    public static let mine = RemoteSession(place: .mine(kind: nil))

    /// That of the user, of a kind with this name.
    public static func mine(_ kind: String) -> RemoteSession { RemoteSession(place: .mine(kind: kind)) }

    /// That with this id.
    public static func id(_ id: String) -> RemoteSession { RemoteSession(place: .id(id)) }

    /// The one that was shared.
    ///
    /// - Parameter link: as the server gave it, or the part of it behind `/shared/`.
    public static func share(_ link: String) -> RemoteSession { RemoteSession(place: .share(link)) }

    /// - Parameters:
    ///   - server: such as `https://host`.
    ///   - kind: that of the store, if it is known.
    package func address(at server: String, kind: String?) -> SessionAddress {
        var server = Substring(server)
        while server.hasSuffix("/") { server.removeLast() }
        switch place {
        case .mine(let other):
            let name = (other ?? kind).map { "?store=" + SessionAddress.escaped($0) } ?? ""
            return SessionAddress("\(server)/sessions/me\(name)")
        case .id(let id): return SessionAddress("\(server)/sessions/\(SessionAddress.escaped(id))")
        case .share(let link):
            if link.contains("://") { return SessionAddress(link) }
            let token = link.split(separator: "/").last.map(String.init) ?? link
            return SessionAddress("\(server)/shared/\(token)")
        }
    }
}
