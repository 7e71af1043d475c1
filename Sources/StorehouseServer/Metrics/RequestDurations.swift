import HTTP
import Observability
import Sockets
import Synchronization

/// A request that has its response, or never gets one: all that the metrics and the access log show of it.
struct FinishedRequest {
    /// Nil if the bytes were no request.
    let method: HTTPMethod?
    /// Nil if no resource has the path.
    let route: Route?
    /// The status of the response, or of the head of a stream; nil if the connection was cut before.
    let status: HTTPStatus?
    /// The code of the problem document, if the response is one.
    var code: Problem.Code?
    /// The length of the response's body; 0 for a stream.
    var bytes = 0
    /// From the moment at which the request was complete to the response, or to the head of a stream.
    var duration: Duration { .nanoseconds(nanoseconds) }
    let nanoseconds: Int

    init(method: HTTPMethod?, route: Route?, status: HTTPStatus?, since start: LoopInstant) {
        self.method = method
        self.route = route
        self.status = status
        nanoseconds = start.nanoseconds(to: .current)
    }

    init(_ response: Response, method: HTTPMethod?, route: Route?, since start: LoopInstant) {
        self.init(method: method, route: route, status: response.status, since: start)
        if let problem = response.problemCode { code = Problem.Code(rawValue: problem) }
        bytes = response.body.count
    }
}

/// The durations of requests: a histogram for each route, method and class of status that has occurred.
final class RequestDurations: Sendable {
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"]
    /// The last one is for connections that were cut before the response.
    private static let statuses = ["1xx", "2xx", "3xx", "4xx", "5xx", "cut"]
    private static let routes = Route.allCases

    /// Most combinations never occur, so a histogram is made for the first request.
    private final class Slot: Sendable {
        private let made = AtomicLazyReference<DurationHistogram>()

        var histogram: DurationHistogram? { made.load() }
        var madeHistogram: DurationHistogram { made.load() ?? made.storeIfNil(DurationHistogram()) }
    }

    private let routes = RequestDurations.routes
    private let slots: [Slot]

    init() {
        // One more for paths that are no resource.
        let count = (Self.routes.count + 1) * Self.methods.count * Self.statuses.count
        slots = (0..<count).map { _ in Slot() }
    }

    func add(_ request: FinishedRequest) {
        var route = routes.count
        if let known = request.route, let index = routes.firstIndex(of: known) { route = index }
        let slot = slots[Self.index(route, Self.index(of: request.method), Self.index(of: request.status))]
        slot.madeHistogram.add(nanoseconds: request.nanoseconds)
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
        let paths = routes.map(\.path) + ["other"]
        for (route, path) in paths.enumerated() {
            for (method, name) in Self.methods.enumerated() {
                for (status, text) in Self.statuses.enumerated() {
                    guard let histogram = slots[Self.index(route, method, status)].histogram else { continue }
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
