package import JSON
package import RemoteServices
package import Stores

/// Fetches an animal after the reducer has accepted a fetch, and dispatches the result.
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
        let failure = RemoteFailure.interrupted
        return .dispatch(.fetchFailed(CodedError(failure.code, failure.message)))
    }
}

/// The client of the animal API.
package struct AnimalService: Sendable {
    /// The maximum length of a name in code points.
    package static let maxNameLength = 200

    private let client: any RemoteClient
    private let pointer: JSONPointer

    /// - Parameter pointer: the place of the name in the JSON response.
    package init(client: any RemoteClient, pointer: JSONPointer = JSONPointer(tokens: ["animal"])) {
        self.client = client
        self.pointer = pointer
    }

    func animal() async throws(RemoteFailure) -> String {
        try await client.call(RemoteRequest()) { answer throws(RemoteFailure) in
            let name = try answer.text(at: pointer)
            guard name.unicodeScalars.count <= Self.maxNameLength else {
                throw RemoteFailure(.badBody, "the name in the answer is longer than \(Self.maxNameLength) code points")
            }
            return name
        }
    }
}
