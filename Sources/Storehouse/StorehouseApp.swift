@_exported public import JSON
import Observability
import Platform
@_exported public import RemoteServices
@_exported public import StoreHosting
@_exported public import StorehouseServer
@_exported public import Stores

/// A whole server program: the hosted store kinds, with the command line, storage and remote services.
///
///     @main struct Hall: StorehouseApp {
///         var kinds: [StoreKind] { seats }
///     }
///
/// The program has the commands of `storehouse`: `serve`, `check-config`, the storage commands and the others; `--help`
/// lists them. Its configuration is that of `storehouse`, with the keys `upstreams.NAME.…` for each `RemoteService` that a
/// kind calls.
public protocol StorehouseApp {
    /// Called once at the start of the program.
    init()

    /// The kinds of store that sessions can have. If `sessions.defaultStore` is not set and no kind is named `app`, the first
    /// is the default.
    @StoreKindBuilder var kinds: [StoreKind] { get }
}

extension StorehouseApp {
    /// Runs the command of the process's arguments, and ends the process with the exit code of the command: 0 for success, 1
    /// for a failure, 2 for a wrong command line, configuration or declaration of a kind.
    public static func main() async {
        FirstProcess.begin()
        CoreDumps.prevent()
        StandardDescriptors.makeSafe()
        ProcessMemory.shareHeapsIfLimited()
        exit(await Self().run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs one command.
    ///
    /// - Parameters:
    ///   - arguments: the words after the program's name.
    ///   - report: gets the reason for an exit code other than 0.
    /// - Returns: the exit code.
    package func run(
        _ arguments: [String], report: (String) -> Void = { Console.printError($0) }
    ) async -> Int32 {
        do {
            let code = try await run(try Invocation.parse(arguments, program: Invocation.programName))
            guard code == 0, let problem = Console.finish() else { return code }
            throw CommandFailure(
                "the command has done its work, but standard output could not be written, and some of the result is missing: "
                    + problem)
        } catch let error as UsageError {
            report(error.description)
            return 2
        } catch let error as ConfigurationError {
            report("\(error)")
            return 2
        } catch {
            report("\(Invocation.programName): \(error)")
            return 1
        }
    }

    private func run(_ invocation: Invocation) async throws -> Int32 {
        switch invocation {
        case .checkConfiguration(let file, let flags): try check(servingConfiguration(file, flags))
        case .serve(let file, let flags, let printsAdminToken):
            try await serve(servingConfiguration(file, flags), printsAdminToken: printsAdminToken)
        case .upstream(let port, let file, let flags): try await serveDemoUpstream(port, file, flags)
        case .storage(let command, let inJSON): return try perform(command, inJSON: inJSON)
        default: return try await perform(invocation)
        }
        return 0
    }

    /// The configuration of a command.
    ///
    /// - Parameter needsUpstreams: whether a service without a URL and without a demo is an error.
    func configuration(
        file: String?, flags: [ConfigurationFlag] = [], needsUpstreams: Bool = true
    ) throws(ConfigurationError) -> StorehouseConfiguration {
        let defaults = try StorehouseConfiguration(services: kinds.flatMap(\.services), needsUpstreams: needsUpstreams)
        return try .load(defaults, file: file, flags: flags)
    }

    /// The configuration of a command that serves the kinds. What is wrong with it is reported together with what is wrong
    /// with the kinds.
    private func servingConfiguration(
        _ file: String?, _ flags: [ConfigurationFlag]
    ) throws(ConfigurationError) -> StorehouseConfiguration {
        do throws(ConfigurationError) {
            return try configuration(file: file, flags: flags)
        } catch {
            throw ConfigurationError(problems: error.problems + Configuration.problems(of: kinds))
        }
    }

    private func serveDemoUpstream(_ port: Int, _ file: String?, _ flags: [ConfigurationFlag]) async throws {
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
