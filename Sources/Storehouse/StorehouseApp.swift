import Observability
import Platform
@_exported public import RemoteServices
@_exported public import StoreHosting
@_exported public import StorehouseServer
@_exported public import Stores
import Upstream

/// The command line of a server: `serve`, `check-config`, the storage commands and the others.
package struct StorehouseApp: Sendable {
    /// The clients of the remote services that the configuration names, for the kinds that call them.
    package struct Services: Sendable {
        package let animal: any RemoteClient
        package let auth: any RemoteClient
        package let configuration: StorehouseConfiguration
    }

    let kinds: @Sendable (Services) -> [StoreKind]

    /// - Parameter kinds: makes the hosted kinds; called once for a command that needs them.
    package init(kinds: @escaping @Sendable (Services) -> [StoreKind]) {
        self.kinds = kinds
    }

    /// Runs the command of the process's arguments, and ends the process with the exit code of the command: 0 for success, 1
    /// for a failure, 2 for a wrong command line or configuration.
    package func main() async -> Never {
        StandardDescriptors.makeSafe()
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs one command.
    ///
    /// - Parameter arguments: the words after the program's name.
    /// - Returns: the exit code. The reason for a code other than 0 is written to standard error.
    private func run(_ arguments: [String]) async -> Int32 {
        do {
            return try await run(try Invocation.parse(arguments))
        } catch let error as UsageError {
            Console.printError(error.description)
            return 2
        } catch let error as ConfigurationError {
            Console.printError("\(error)")
            return 2
        } catch {
            Console.printError("storehouse: \(error)")
            return 1
        }
    }

    private func run(_ invocation: Invocation) async throws -> Int32 {
        switch invocation {
        case .help: Console.print(Invocation.helpText)
        case .version: Console.print("storehouse \(StorehouseVersion.current)")
        case .checkConfiguration(let file, let flags): try await check(.load(file: file, flags: flags))
        case .serve(let file, let flags): try await serve(.load(file: file, flags: flags))
        case .upstream(let port): try await Self.serveDemoUpstream(port)
        case .healthcheck(let file, let url): return try await Self.healthcheck(file, url)
        case .storage(let command): return try perform(command)
        }
        return 0
    }

    private static func serveDemoUpstream(_ port: Int) async throws {
        ShutdownSignals.install()
        ShutdownSignals.endProcess(after: .seconds(5)) {}
        // The configuration is valid without URLs, because this process serves the services itself.
        let embedded = ConfigurationFlag(name: "upstream", path: "upstreams.embedded", text: "true")
        let configuration = try StorehouseConfiguration.load(file: nil, flags: [embedded])
        let server = try DemoUpstreamServer(port: port, maxDelay: configuration.server.upstreams.maxDelay)
        Console.printError("listening on \(server.url)")
        await ShutdownSignals.first()
        await server.stop()
    }

    private static func healthcheck(_ file: String?, _ url: String?) async throws -> Int32 {
        let http = url == nil ? try StorehouseConfiguration.load(file: file).server.http : nil
        var base = url ?? http?.localURL ?? ""
        while base.hasSuffix("/") { base.removeLast() }
        let upstreams = try CurlUpstreams(userAgent: StorehouseVersion.userAgent)
        var settings = UpstreamSettings(name: "server", url: base + "/readyz")
        settings.retries = 0
        // The server may answer for other hosts only than that of its address on this machine.
        if let host = http?.allowedHosts.first, host != "*" { settings.headers["Host"] = host }
        let client = try upstreams.client(for: settings)
        do throws(RemoteFailure) {
            let response = try await client.call(RemoteRequest())
            if response.isSuccess { return 0 }
            Console.printError("\(base)/readyz answered \(response.status)")
        } catch {
            Console.printError("\(base)/readyz: \(error.message)")
        }
        return 1
    }
}
