import JSON
import Observability
import Platform
import ServerWiring
package import StoreHosting
import StorehouseServer

/// Runs the commands of a program that hosts store kinds.
package struct CommandRunner {
    private let makeKinds: () -> [StoreKind]

    /// - Parameter kinds: the hosted kinds. A command that needs none does not ask for them.
    package init(kinds: @escaping () -> [StoreKind]) { makeKinds = kinds }

    var kinds: [StoreKind] { makeKinds() }

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
            let code = try await run(
                try Invocation.parse(
                    arguments, program: Invocation.programName, environment: environmentVariables()))
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
            if printsAdminToken { try Self.requireTerminalForToken() }
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
}
