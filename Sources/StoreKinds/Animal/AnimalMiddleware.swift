package import Stores

/// Fetches when the reducer has accepted a fetch, and reports what came of it.
package struct AnimalMiddleware: Middleware {
    package static let fetch: EffectID = "animal.fetch"

    private let service: AnimalService

    package init(_ service: AnimalService) { self.service = service }

    package func respond(to commit: borrowing Commit<AnimalState, AnimalAction>) -> Effect<AnimalAction> {
        switch commit.action {
        case .fetchAnimal: .run(Self.fetch) { [service] in await Self.result(of: service) }
        case .cancelFetch: .cancel(Self.fetch)
        case .ackError, .setCurrentAnimal, .fetchFailed: .none
        }
    }

    private static func result(of service: AnimalService) async -> AnimalAction {
        do throws(RemoteFailure) {
            return .setCurrentAnimal(try await service.animal())
        } catch {
            return .fetchFailed(CodedError(error.code, error.message))
        }
    }
}
