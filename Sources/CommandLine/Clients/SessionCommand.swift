/// A command that makes requests of a session and ends.
package enum SessionCommand: Sendable, Hashable {
    case send(SendCommand)
    case get(GetCommand)
    case log(LogCommand)
    case diff(DiffCommand)
    case fork(ForkCommand)
    case share(ShareCommand)
    case delete(DeleteCommand)
    case open(OpenCommand)

    /// - Returns: the exit code.
    package func run(_ terminal: ClientTerminal) async throws -> Int32 {
        switch self {
        case .send(let command): return try await command.run(terminal)
        case .get(let command): try await command.run(terminal)
        case .log(let command): try await command.run(terminal)
        case .diff(let command): try await command.run(terminal)
        case .fork(let command): try await command.run(terminal)
        case .share(let command): try await command.run(terminal)
        case .delete(let command): return try await command.run(terminal)
        case .open(let command): command.run(terminal)
        }
        return 0
    }
}
