import CommandLine
@_exported public import JSON
import Observability
import Platform
@_exported public import RemoteServices
import Sessions
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
        ProcessMemory.limitHeapsIfLimited()
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
        await CommandRunner { kinds }.run(arguments, report: report)
    }
}
