import Observability
import Platform
import RemoteServices
import StoreKinds
import StorehouseServer
import Stores
import Upstream

/// Reads the command line, wires the rooms together, and runs.
@main
enum Storehouse {
    static func main() async {
        StandardDescriptors.makeSafe()
        do {
            let invocation = try Invocation.parse(Array(CommandLine.arguments.dropFirst()))
            exit(try await run(invocation))
        } catch let error as UsageError {
            Console.printError(error.description)
            exit(2)
        } catch let error as ConfigurationError {
            Console.printError("\(error)")
            exit(2)
        } catch {
            Console.printError("storehouse: \(error)")
            exit(1)
        }
    }

    private static func run(_ invocation: Invocation) async throws -> Int32 {
        switch invocation {
        case .help: Console.print(Invocation.helpText)
        case .version: Console.print("storehouse \(StorehouseVersion.current)")
        case .checkConfiguration(let file): try await check(try .load(file: file))
        case .serve(let file, let flags): try await serve(try .load(file: file, flags: flags))
        case .upstream(let port): try await standIn(port)
        case .healthcheck(let file, let url): return try await healthcheck(file, url)
        case .storage(let command): return try perform(command)
        }
        return 0
    }

    private static func standIn(_ port: Int) async throws {
        ShutdownSignals.install()
        ShutdownSignals.endProcess(after: .seconds(5)) {}
        // It is the stand-in itself, so it needs no address of another.
        let itself = ConfigurationFlag(name: "upstream", path: "upstreams.embedded", text: "true")
        let configuration = try Configuration.load(file: nil, flags: [itself])
        let server = try DemoUpstreamServer(port: port, maxDelay: configuration.upstreams.maxDelay)
        Console.printError("listening on \(server.url)")
        await ShutdownSignals.first()
        await server.stop()
    }

    private static func healthcheck(_ file: String?, _ url: String?) async throws -> Int32 {
        var base = try url ?? Configuration.load(file: file).http.localURL
        while base.hasSuffix("/") { base.removeLast() }
        let upstreams = try CurlUpstreams(userAgent: StorehouseVersion.userAgent)
        var settings = UpstreamSettings(name: "server", url: base + "/readyz")
        settings.retries = 0
        let client = try upstreams.client(for: settings)
        do throws(RemoteFailure) {
            let answer = try await client.call(RemoteRequest())
            if answer.isSuccess { return 0 }
            Console.printError("\(base)/readyz answered \(answer.status)")
        } catch {
            Console.printError("\(base)/readyz: \(error.message)")
        }
        return 1
    }
}
