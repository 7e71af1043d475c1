import Observability
import Platform
@_exported public import RemoteServices
@_exported public import StoreHosting
@_exported public import StorehouseServer
@_exported public import Stores

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
        ProcessMemory.shareHeapsIfLimited()
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs one command.
    ///
    /// - Parameter arguments: the words after the program's name.
    /// - Returns: the exit code. The reason for a code other than 0 is written to standard error.
    private func run(_ arguments: [String]) async -> Int32 {
        do {
            return try await run(try Invocation.parse(arguments, program: Invocation.programName))
        } catch let error as UsageError {
            Console.printError(error.description)
            return 2
        } catch let error as ConfigurationError {
            Console.printError("\(error)")
            return 2
        } catch {
            Console.printError("\(Invocation.programName): \(error)")
            return 1
        }
    }

    private func run(_ invocation: Invocation) async throws -> Int32 {
        switch invocation {
        case .checkConfiguration(let file, let flags): try await check(.load(file: file, flags: flags))
        case .serve(let file, let flags): try await serve(.load(file: file, flags: flags))
        case .upstream(let port, let file, let flags): try await Self.serveDemoUpstream(port, file, flags)
        case .storage(let command, let inJSON): return try perform(command, inJSON: inJSON)
        default: return try await perform(invocation)
        }
        return 0
    }

    private static func serveDemoUpstream(_ port: Int, _ file: String?, _ flags: [ConfigurationFlag]) async throws {
        ShutdownSignals.install()
        ShutdownSignals.endProcess(after: .seconds(5)) {}
        // The configuration is valid without URLs, because this process serves the services itself.
        let embedded = ConfigurationFlag(name: "upstream", path: "upstreams.embedded", text: "true")
        let configuration = try StorehouseConfiguration.load(file: file, flags: flags + [embedded])
        let server = try DemoUpstreamServer(port: port, maxDelay: configuration.server.upstreams.maxDelay)
        Console.printError("listening on \(server.url)")
        await ShutdownSignals.first()
        await server.stop()
    }
}
