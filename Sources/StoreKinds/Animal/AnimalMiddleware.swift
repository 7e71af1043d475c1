package import Stores

/// Fetches when the reducer has accepted a fetch, and reports what came of it.
package struct AnimalMiddleware: Middleware {
    package static let fetch: EffectID = "animal.fetch"

    private let service: AnimalService

    package init(_ service: AnimalService) { self.service = service }

    package func respond(to commit: borrowing Commit<AnimalState, AnimalAction>) -> Effect<AnimalAction> {
        switch commit.action {
        case .fetchAnimal:
            .run(Self.fetch) { [service] () async throws(RemoteFailure) in
                .setCurrentAnimal(try await service.animal())
            } failure: { failure in
                .fetchFailed(CodedError(failure.code, failure.message))
            }
        case .cancelFetch: .cancel(Self.fetch)
        case .ackError, .setCurrentAnimal, .fetchFailed: .none
        }
    }

    package func resume(_ state: AnimalState) -> Effect<AnimalAction> {
        guard state.isLoading else { return .none }
        let failure = RemoteFailure.cutOff
        return .dispatch(.fetchFailed(CodedError(failure.code, failure.message)))
    }
}
