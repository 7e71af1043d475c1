import HTTP
import Observability
import Sockets
import Threads

/// The durations of requests: a histogram for each route, method and class of status that has occurred.
final class RequestDurations: Sendable {
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"]
    /// The last one is for connections that were cut before the response.
    private static let statuses = ["1xx", "2xx", "3xx", "4xx", "5xx", "cut"]
    private static let routes = Route.allCases
    /// Names the paths that are no resource, and the bytes that are no request.
    static let otherRoute = "other"

    /// Most combinations never occur, so a histogram is made for the first request.
    private final class Slot: Sendable {
        let histogram = LazyReference<DurationHistogram>()
    }

    private let routes = RequestDurations.routes
    private let slots: [Slot]

    init() {
        // One more for paths that are no resource.
        let count = (Self.routes.count + 1) * Self.methods.count * Self.statuses.count
        slots = (0..<count).map { _ in Slot() }
    }

    func add(_ request: FinishedRequest) {
        let route = request.route.map(\.rawValue) ?? routes.count
        let slot = slots[Self.index(route, Self.index(of: request.method), Self.index(of: request.status))]
        slot.histogram.load(orStore: DurationHistogram()).add(nanoseconds: request.nanoseconds)
    }

    private static func index(_ route: Int, _ method: Int, _ status: Int) -> Int {
        (route * methods.count + method) * statuses.count + status
    }

    private static func index(of status: HTTPStatus?) -> Int {
        guard let status else { return statuses.count - 1 }
        return status.rawValue / 100 - 1
    }

    private static func index(of method: HTTPMethod?) -> Int {
        switch method {
        case .get: 0
        case .head: 1
        case .post: 2
        case .put: 3
        case .patch: 4
        case .delete: 5
        case .options: 6
        case .connect, .trace, .other, nil: 7
        }
    }

    func write(into text: inout PrometheusWriter) {
        let paths = routes.map(\.path) + [Self.otherRoute]
        for (route, path) in paths.enumerated() {
            for (method, name) in Self.methods.enumerated() {
                for (status, text) in Self.statuses.enumerated() {
                    guard let histogram = slots[Self.index(route, method, status)].histogram.load()
                    else { continue }
                    write(histogram, [("route", path), ("method", name), ("status", text)])
                }
            }
        }
        func write(_ histogram: DurationHistogram, _ labels: [(String, String)]) {
            text.histogram(
                "storehouse_http_request_duration_seconds",
                "Time from a complete request to its response, by route, method and class of status.", histogram,
                labels: labels)
        }
    }
}
