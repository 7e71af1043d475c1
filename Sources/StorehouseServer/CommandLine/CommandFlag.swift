/// A flag with a value that a command takes.
struct CommandFlag: Sendable {
    let name: String
    /// What stands for the value in the help.
    let placeholder: String
    let summary: String
    /// Whether the command makes no sense without it.
    var isNeeded = false

    static let config = CommandFlag(
        name: "--config", placeholder: "FILE", summary: "read this file instead of \(Configuration.defaultFile)")
    static let host = CommandFlag(name: "--host", placeholder: "H", summary: "listen on this address (http.host)")
    static let port = CommandFlag(
        name: "--port", placeholder: "N", summary: "listen on this port (http.port); 0 takes a free one")
    static let upstreamPort = CommandFlag(
        name: "--port", placeholder: "N",
        summary: "listen on this port; \(Invocation.upstreamPort) if not given, 0 takes a free one")
    static let url = CommandFlag(
        name: "--url", placeholder: "URL", summary: "ask here instead of where the configuration says")
}
