package import HTTP
package import HTTPServer
import JSON
import Stores

/// Finds the resource that a path names, and what the method does there.
package final class Router: RequestHandler {
    private let service: Service

    init(_ service: Service) { self.service = service }

    package func handle(_ request: Request, _ exchange: Exchange) {
        let call = Call(request, exchange, cors: service.cors, log: service.requestLog(request.head), service.metrics)
        do throws(Problem) {
            let resource = try Resource(request.head.path)
            if let preflight = service.cors.preflight(request.head, resource.route) { return call.answer(preflight) }
            try perform(call, on: resource)
        } catch {
            call.answer(error.response)
        }
    }

    package func response(to failure: RequestFailure) -> Response {
        service.metrics.answered(failure.status)
        guard let code = Problem.Code(rawValue: failure.code) else { return Response(failure.status) }
        var response = Problem(code, failure.detail).response
        response.fields += service.cors.fields(for: failure.origin)
        return response
    }

    private func perform(_ call: Call, on resource: Resource) throws(Problem) {
        let route = resource.route
        try route.requireClear(call.head.query, of: call.head.method)
        switch (call.head.method, route) {
        case (.options, _): call.answer(Response(.noContent, fields: [.init("Allow", route.allow)]))
        case (.get, .events): try service.openStream(resource.id, call)
        case (.get, _) where route.isReadable, (.head, _) where route.isReadable: try service.read(resource, call)
        case (.post, .sessions): try service.createSession(call)
        case (.post, .actions): try service.dispatch(resource.id, call)
        case (.post, .forks): try service.forkSession(resource.id, call)
        case (.delete, .session): try service.deleteSession(resource.id, call)
        default:
            throw Problem(.methodNotAllowed, "This resource does: \(route.allow).")
                .with(.init("Allow", route.allow))
        }
    }
}
