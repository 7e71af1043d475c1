import JSON
import Observability
import ServerWiring
import StoreHosting
import StorehouseServer
import Upstream

extension CommandRunner {
    /// Runs a command that needs neither the server nor its storage.
    ///
    /// - Returns: the exit code.
    func perform(_ invocation: Invocation) async throws -> Int32 {
        do {
            return try await run(tool: invocation)
        } catch let error as UpstreamConfigurationError {
            // The URL or a header of the command line.
            throw UsageError(description: "\(Invocation.programName): \(error)")
        }
    }

    private func run(tool invocation: Invocation) async throws -> Int32 {
        let program = Invocation.programName
        switch invocation {
        case .healthcheck(let command):
            let isConfigured = command.url == nil
            return try await command.run(
                isConfigured
                    ? configuration(file: command.configurationFile, flags: command.flags, needsUpstreams: false)
                        .server.http : nil)
        case .watch(let command): try await command.run(.system)
        case .session(let command): return try await command.run(.system)
        case .types(let name, let language):
            let kind = try kind(named: name)
            Console.printUnescaped(language.source(of: TypedKind(kind, state: kind.stateSchema)))
        case .initialize(let command): try command.run()
        case .token(let command): try command.run()
        case .completion(let shell):
            let configuration = try StorehouseConfiguration(services: kinds.flatMap(\.services), needsUpstreams: false)
            let script = CompletionScript(program: program, kinds: kinds, configuration)
            Console.print(script.text(for: shell))
        case .version(let inJSON):
            let version = StorehouseVersion.current
            let document: JSONValue = ["name": .string(program), "version": .string(version)]
            Console.print(inJSON ? document.description : "\(program) \(version)")
        case .help(let command):
            let text = command.flatMap { Help.text(of: $0, program: program, kinds: kinds) }
            Console.print(text ?? Help.commands(of: program))
        case .manual(let command):
            Console.printUnescaped(ManualPage(program: program, kinds: kinds).text(of: command))
        case .serve, .checkConfiguration, .upstream, .storage: return 1
        }
        return 0
    }

    private func kind(named name: String) throws -> StoreKind {
        let kinds = kinds
        guard let kind = kinds.first(where: { $0.name == name }) else {
            let names = kinds.map(\.name)
            let hint = names.hint(for: name)
            let all = hint.isEmpty ? "; this program has \(names.joined(separator: ", "))" : hint
            throw CommandFailure("there is no store kind '\(name)'\(all)".escapedForOneLine)
        }
        return kind
    }
}
