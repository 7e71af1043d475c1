/// The declaration of a command, from which parsing and help come.
struct CommandDeclaration: Sendable {
    let name: String
    /// What stands in the help for the word that it takes besides flags; nil where it takes none.
    var argument: String?
    let summary: String
    let flags: [CommandFlag]
    let invocation: @Sendable (FlagValues) throws(UsageError) -> Invocation

    static let all =
        [
            CommandDeclaration(name: "serve", summary: "the service", flags: [.config, .host, .port]) { values in
                .serve(
                    configurationFile: values[.config],
                    flags: values.settings([(.host, "http.host"), (.port, "http.port")]))
            },
            CommandDeclaration(
                name: "check-config",
                summary: "print the effective configuration (secrets masked), or what is wrong with it",
                flags: [.config]
            ) { values in .checkConfiguration(file: values[.config]) },
            CommandDeclaration(
                name: "upstream", summary: "the stand-in animal and auth APIs alone", flags: [.upstreamPort]
            ) { values throws(UsageError) in
                guard let text = values[.upstreamPort] else { return .upstream(port: Invocation.upstreamPort) }
                guard let port = Int(text), (0...65535).contains(port) else {
                    throw .wrong("--port must be a whole number from 0 to 65535, not '\(text)'")
                }
                return .upstream(port: port)
            },
            CommandDeclaration(
                name: "healthcheck", summary: "ask a running server whether it lives; exit 0 if so, for HEALTHCHECK",
                flags: [.config, .url]
            ) { values in .healthcheck(configurationFile: values[.config], url: values[.url]) },
        ] + storage

    /// The command line in the help: `serve [--config FILE]`.
    var usage: String {
        let flags = flags.map { flag in
            let text = "\(flag.name) \(flag.placeholder)"
            return flag.isNeeded ? text : "[\(text)]"
        }
        return ([name] + [argument].compactMap(\.self) + flags).joined(separator: " ")
    }
}
