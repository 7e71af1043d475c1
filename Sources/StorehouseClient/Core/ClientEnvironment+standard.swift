extension ClientEnvironment {
    /// That of the system.
    @MainActor static func standard(_ transport: (any ClientTransport)?) -> ClientEnvironment {
        var environment = ClientEnvironment(transport: transport ?? Transports.shared, clock: SystemClock())
        #if canImport(Network)
            environment.watch = { NetworkWatch($0) }
        #endif
        return environment
    }
}

/// The transport of the system, which all stores of a process share, and so its connections.
private enum Transports {
    #if os(Linux)
        static let shared: any ClientTransport = CurlTransport()
    #else
        static let shared: any ClientTransport = URLSessionTransport()
    #endif
}
