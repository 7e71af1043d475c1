public import RemoteServices

extension StoreKind {
    /// A kind that calls remote services. The server that hosts it provides the clients, by its configuration.
    ///
    ///     StoreKind.calling(RemoteService("quotes")) { clients in
    ///         .store("hall", reducer: HallReducer(), middleware: [QuoteMiddleware(clients["quotes"])])
    ///     }
    ///
    /// - Parameters:
    ///   - services: the services.
    ///   - make: makes the kind with their clients. It is called at once with `RemoteClients.none`, and again by
    ///     ``connected(to:)``; all these kinds must differ in their clients only.
    package static func calling(
        _ services: RemoteService..., make: @escaping @Sendable (RemoteClients) -> StoreKind
    ) -> StoreKind { calling(services, make: make) }

    @usableFromInline
    static func calling(_ services: [RemoteService], make: @escaping @Sendable (RemoteClients) -> StoreKind)
        -> StoreKind
    {
        var kind = make(.none)
        kind.services += services
        kind.connect = make
        return kind
    }

    /// A copy of this kind whose stores call its services through these clients.
    package func connected(to clients: RemoteClients) -> StoreKind {
        guard let connect else { return self }
        var kind = connect(clients)
        kind.services = services
        kind.repeatedFetches = repeatedFetches
        kind.silentFetches = silentFetches
        kind.problems = problems
        return kind
    }

    /// A copy of this kind with these fetches that are repeated, and that say nothing after a restart, and these problems.
    @usableFromInline
    func with(_ repeatedFetches: [String], silent silentFetches: [String], problems: [String]) -> StoreKind {
        var kind = self
        kind.repeatedFetches = repeatedFetches
        kind.silentFetches = silentFetches
        kind.problems = problems
        return kind
    }
}
