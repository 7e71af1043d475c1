package import HTTP
import JSON
import Stores

/// Finds the resource that a path names, and what the method does there.
package final class Router: RequestHandler {
    private let service: Service

    init(_ service: Service) { self.service = service }

    package func handle(_ request: Request, _ exchange: Exchange) {
        let call = Call(request, exchange, cors: service.cors, log: service.requestLog(request.head))
        do throws(Problem) {
            let resource = try Resource(request.head.path)
            if let preflight = service.cors.preflight(request.head, resource) { return call.answer(preflight) }
            try perform(call, on: resource)
        } catch {
            call.answer(error.response)
        }
    }

    package func response(to failure: RequestFailure) -> Response {
        guard let code = Problem.Code(rawValue: failure.code) else { return Response(failure.status) }
        return Problem(code, failure.detail).response
    }

    package var timeoutResponse: Response {
        Problem(.requestTimeout, "The request did not arrive in time; send it again, at once and whole.").response
    }

    private func perform(_ call: Call, on resource: Resource) throws(Problem) {
        switch (call.head.method, resource) {
        case (.options, _): call.answer(Response(.noContent, fields: [.init("Allow", resource.allow)]))
        case (.get, .events(let id)): try service.openStream(id, call)
        case (.get, _) where resource.isReadable, (.head, _) where resource.isReadable:
            call.answer(try service.read(resource, call.head))
        case (.post, .sessions): call.answer(try service.createSession(call.request))
        case (.post, .actions(let id)): try service.dispatch(id, call)
        case (.delete, .session(let id)): call.answer(try service.deleteSession(id))
        default:
            throw Problem(.methodNotAllowed, "This resource does: \(resource.allow).")
                .with(.init("Allow", resource.allow))
        }
    }
}
