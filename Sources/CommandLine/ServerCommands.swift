extension CommandDeclaration {
    /// The commands that run a server or ask about one.
    static let server = [
        CommandDeclaration(
            name: "serve", group: .server, summary: "serve sessions over HTTP until SIGTERM or SIGINT",
            details: [
                """
                Reads the configuration, listens, and writes 'listening on URL' to standard error when it is ready. \
                Errors in the configuration are reported before that. In a terminal it also says where the sessions are, \
                and which command to try.
                """,
                """
                SIGTERM or SIGINT drains the server within http.drainTimeout: streams are closed, requests under way \
                are answered, remote calls under way end, and the storage is flushed. A second signal ends it at once.
                """,
            ],
            flags: [.config, .host, .port, .set, .printAdminToken], success: "a signal ended it, and it has drained",
            failure: "it cannot listen, or the storage cannot be opened",
            examples: [
                "storehouse serve --port 8080", "storehouse serve --set storage.kind=sqlite --set storage.path=app.db",
            ]
        ) { values throws(UsageError) in
            .serve(
                configurationFile: values[.config],
                flags: try values.settings([(.host, "http.host"), (.port, "http.port")]),
                printsAdminToken: values.has(.printAdminToken))
        },
        CommandDeclaration(
            name: "check-config", group: .server,
            summary: "print the effective configuration with masked secrets, or its errors",
            details: [
                """
                Prints every key with the value that 'serve' would use, as a JSON file with which a server can be \
                started. Reports all errors at once, one line for each.
                """
            ],
            flags: [.config, .set, .alwaysJSON], success: "the configuration is valid",
            examples: ["storehouse check-config --config config/production.json"]
        ) { values throws(UsageError) in
            .checkConfiguration(file: values[.config], flags: try values.settings())
        },
        CommandDeclaration(
            name: "upstream", group: .server, summary: "serve only the demo services of the store kinds",
            details: [
                """
                'serve' has these services inside, unless upstreams.embedded is false. This command runs them as a \
                process of their own, so that a server can call them over the network.
                """
            ],
            flags: [.config, .upstreamPort, .set], success: "a signal ended it", failure: "it cannot listen",
            examples: ["storehouse upstream --port 8081"]
        ) { values throws(UsageError) in
            .upstream(
                port: try values.port(.upstreamPort) ?? Invocation.upstreamPort, configurationFile: values[.config],
                flags: try values.settings())
        },
        CommandDeclaration(
            name: "healthcheck", group: .server, summary: "exit with 0 if a running server is alive, for HEALTHCHECK",
            details: [
                """
                Asks the server that the configuration describes, or the one of --url. With --ready the server must \
                also be ready for requests: it is not while it starts, drains, or cannot write its storage.
                """
            ],
            flags: [.config, .set, .url, .ready, .json], success: "the server is alive, or ready with --ready",
            failure: "it is not, or it cannot be reached",
            examples: ["storehouse healthcheck --ready", "storehouse healthcheck --url http://localhost:8080 --json"]
        ) { values throws(UsageError) in
            .healthcheck(
                HealthcheckCommand(
                    configurationFile: values[.config], flags: try values.settings(), url: values[.url],
                    isReadiness: values.has(.ready), inJSON: values.has(.json)))
        },
    ]
}

extension CommandFlag {
    fileprivate static let printAdminToken = CommandFlag(
        name: "--print-admin-token",
        summary: "print the admin token, one for this run if admin.token is not set; only on a terminal")
    fileprivate static let upstreamPort = CommandFlag(
        name: "--port", placeholder: "N",
        summary: "listen on this port instead of \(Invocation.upstreamPort); 0 takes a free one")
    fileprivate static let url = CommandFlag(
        name: "--url", placeholder: "URL", summary: "ask this server instead of the configured one")
    fileprivate static let ready = CommandFlag(name: "--ready", summary: "ask for readiness instead of liveness")
}
