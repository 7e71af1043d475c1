import CommandLine
public import JSON
import Observability
import Platform
import Sessions
@_exported public import StoreHosting

@_exported public import enum ServerWiring.Storage

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
    /// Called once at the start of the program, before any command. It is the place to read variables of the environment: if it throws,
    /// the program writes the error to standard error and ends with the exit code 2.
    init() throws

    /// The kinds of store that sessions can have. If `sessions.defaultStore` is not set and no kind is named `app`, the first
    /// is the default.
    @StoreKind.Builder var kinds: [StoreKind] { get }
}

extension StorehouseApp {
    /// Runs the command of the process's arguments, and ends the process with the exit code of the command: 0 for success, 1
    /// for a failure, 2 for a wrong command line, configuration or declaration of a kind.
    public static func main() async {
        FirstProcess.begin()
        CoreDumps.prevent()
        StandardDescriptors.makeSafe()
        ProcessMemory.limitHeapsIfLimited()
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Serves the kinds as a part of a program that has a `main` of its own, until the process gets SIGTERM or SIGINT. Then it drains
    /// and returns.
    ///
    ///     try await Hall.serve(storage: .sqlite("hall.db"), configuration: ["http": ["port": 8090]])
    ///
    /// It is the server of the command `serve`, with its log, its metrics and its remote services. It installs handlers for SIGTERM,
    /// SIGINT and SIGHUP, which does nothing, and they stay. It ignores SIGPIPE. If a drain does not end within
    /// `http.drainTimeout`, the process exits with 0. A second signal ends the process at once.
    ///
    /// - Parameters:
    ///   - storage: the place of the sessions; nil for what the configuration says.
    ///   - configuration: the settings in the form of the file, whose place they take; nil reads the file. Variables of the
    ///     environment win over both.
    /// - Throws: what `init()` throws, everything that is wrong with the configuration and the kinds, one line each, or why the storage or the address
    ///   cannot be used.
    public static func serve(storage: Storage? = nil, configuration: JSONValue? = nil) async throws {
        let app = try Self()
        try await CommandRunner { app.kinds }.serve(storage, configuration)
    }

    /// Makes the program, and runs one command.
    ///
    /// - Parameters:
    ///   - arguments: the words after the program's name.
    ///   - report: gets the reason for an exit code other than 0.
    /// - Returns: the exit code.
    package static func run(
        _ arguments: [String], report: (String) -> Void = { Console.printError($0) }
    ) async -> Int32 {
        do {
            return try await Self().run(arguments, report: report)
        } catch {
            report("\(error)")
            return 2
        }
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
        await CommandRunner { kinds }.run(arguments, report: report)
    }
}
