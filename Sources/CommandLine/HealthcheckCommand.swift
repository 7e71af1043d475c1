import HTTP
import JSON
import Observability
import RemoteServices
package import StorehouseServer
import Upstream

/// Asks a running server whether it is alive or ready.
package struct HealthcheckCommand: Sendable, Hashable {
    package var configurationFile: String?
    package var flags: [ConfigurationFlag] = []
    /// The server to ask; nil for the one that the configuration describes.
    package var url: String?
    package var isReadiness = false
    package var inJSON = false

    package init(
        configurationFile: String? = nil, flags: [ConfigurationFlag] = [], url: String? = nil,
        isReadiness: Bool = false, inJSON: Bool = false
    ) {
        self.configurationFile = configurationFile
        self.flags = flags
        self.url = url
        self.isReadiness = isReadiness
        self.inJSON = inJSON
    }

    /// - Parameter http: the server of the configuration; nil if ``url`` names one.
    /// - Returns: the exit code.
    func run(_ http: Configuration.Http?) async throws -> Int32 {
        var base = url ?? http?.localURL ?? ""
        while base.hasSuffix("/") { base.removeLast() }
        let place = base + (isReadiness ? "/readyz" : "/healthz")
        let upstreams = try CurlUpstreams(userAgent: StorehouseVersion.userAgent)
        var settings = UpstreamSettings(name: "server", url: place)
        settings.retries = 0
        // The server may answer for other hosts only than that of its address on this machine.
        if let host = http?.allowedHosts.first, host != "*" { settings.headers["Host"] = host }
        let client = try upstreams.client(for: settings)
        do throws(RemoteFailure) {
            let response = try await client.call(RemoteRequest())
            return report(response.isSuccess, place, ["status": .integer(response.status)]) {
                "\(place) answered \(response.status)"
            }
        } catch {
            return report(false, place, ["error": .string(error.message)]) { "\(place): \(error.message)" }
        }
    }

    private func report(_ isHealthy: Bool, _ place: String, _ result: JSONObject, _ problem: () -> String) -> Int32 {
        if inJSON {
            var document: JSONObject = ["healthy": .bool(isHealthy), "url": .string(place.withoutUserInfo)]
            for (name, value) in result { document[name] = value }
            Console.print(JSONValue.object(document).description)
        } else if !isHealthy {
            Console.printError(problem())
        }
        return isHealthy ? 0 : 1
    }
}
