extension ClientEnvironment {
    /// That of the system.
    @MainActor static func standard(_ transport: (any ClientTransport)?) -> ClientEnvironment {
        ClientEnvironment(transport: transport ?? Transports.shared, clock: SystemClock())
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
