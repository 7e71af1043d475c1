package import JSON
import Observability
import Platform
import RedisJournal
import RemoteServices
package import ServerWiring
import StoreHosting
import StorehouseServer

extension CommandRunner {
    /// Serves the kinds with settings that a program has in its code, until a signal arrives, then drains.
    ///
    /// - Parameters:
    ///   - storage: nil for what the settings say.
    ///   - settings: stand for the file; nil reads the file.
    package func serve(_ storage: Storage?, _ settings: JSONValue?) async throws {
        var configuration = if let settings { try inCode(settings) } else { try self.configuration(file: nil) }
        storage?.choose(in: &configuration.server)
        try await serve(configuration, printsAdminToken: false)
    }

    private func inCode(_ settings: JSONValue) throws(ConfigurationError) -> StorehouseConfiguration {
        try StorehouseConfiguration(
            defaults: StorehouseConfiguration(services: kinds.flatMap(\.services)), file: settings.encoded(),
            named: "the configuration in code", environment: environmentVariables())
    }

    /// Serves the kinds until a signal arrives, then drains.
    func serve(_ configuration: StorehouseConfiguration, printsAdminToken: Bool) async throws {
        var configuration = configuration
        if printsAdminToken { configuration.server.admin.makeToken() }
        let kinds = kinds
        try configuration.server.check(kinds)
        let log = Log(configuration.server.log)
        StorehouseServer.installSignalHandlers(configuration.server, log)
        let remotes = try Remotes(configuration, log)
        let journal = try configuration.server.journal(log)
        log.info(configuration.server.storageSummary)
        for problem in configuration.server.storageWarnings + configuration.server.warnings(serving: kinds) {
            log.warning("\(problem.path ?? "") \(problem.detail)")
        }
        let redis = (journal as? RedisJournal).map(RedisMetrics.init)
        let server = try StorehouseServer(
            kinds: kinds.map { $0.connected(to: remotes.clients) }, configuration: configuration.server,
            journal: journal, sealer: try configuration.server.storage.sealer(), keySet: remotes.keySet,
            metrics: { metrics in
                remotes.writeMetrics(into: &metrics)
                redis?.write(into: &metrics)
            })
        let token = configuration.server.admin.token
        try await server.run { server in
            if Console.errorsAreOnTerminal {
                log.flush()
                let program = CommandLine.arguments.first ?? Invocation.defaultName
                let greeting = Greeting(program: program, url: server.url, configuration, kinds: kinds)
                Console.printError(greeting.text)
            }
            if printsAdminToken, let token { Console.print("Admin token: \(token.text)") }
        } lastStep: {
            await remotes.stop()
        }
    }

    /// Refuses to print the admin token where it may be kept.
    static func requireTerminalForToken() throws {
        guard Console.outputIsTerminal else {
            let reason = "--print-admin-token needs a terminal as standard output, because no log may hold the token"
            throw UsageError(
                description: "\(Invocation.programName): \(reason); set admin.token (STOREHOUSE_ADMIN_TOKEN) instead")
        }
    }

    /// Prints the configuration that `serve` would use, or throws the errors that it would report.
    func check(_ configuration: StorehouseConfiguration) throws {
        try configuration.server.check(kinds)
        _ = try configuration.server.storage.sealer()
        try Remotes.check(configuration)
        for notice in configuration.notices { Console.printError("\(notice.level.rawValue): \(notice.text)") }
        for problem in configuration.server.warnings(serving: kinds) {
            Console.printError("warning: \(problem.path ?? "") \(problem.detail)")
        }
        Console.print(configuration.document)
    }

    /// The configuration of a command that serves the kinds. What is wrong with it is reported together with what is wrong
    /// with the kinds.
    func servingConfiguration(
        _ file: String?, _ flags: [ConfigurationFlag]
    ) throws(ConfigurationError) -> StorehouseConfiguration {
        do throws(ConfigurationError) {
            return try configuration(file: file, flags: flags)
        } catch {
            throw ConfigurationError(problems: error.problems + Configuration.problems(of: kinds))
        }
    }

    func serveDemoUpstream(_ port: Int, _ file: String?, _ flags: [ConfigurationFlag]) async throws {
        // This process serves the services itself, so they need no URLs.
        let configuration = try configuration(file: file, flags: flags, needsUpstreams: false)
        let services = configuration.services.filter { $0.demo != nil }
        guard !services.isEmpty else {
            let reason = "no store kind declares a remote service with a demo, so there is nothing to serve"
            throw UsageError(description: "\(Invocation.programName): \(reason)")
        }
        ShutdownSignals.install()
        ShutdownSignals.endProcess(after: .seconds(5)) {}
        let server = try DemoUpstreamServer(services, port: port, maxDelay: configuration.server.upstreams.maxDelay)
        Log(configuration.server.log).announce("listening on \(server.url)")
        await ShutdownSignals.first()
        await server.drain(within: .seconds(4))
    }
}
