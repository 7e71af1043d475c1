package import JSON
package import RemoteServices
package import StoreHosting
package import Stores

/// The displayed animal and the progress of its fetch.
package struct AnimalState: StateSlice, Equatable {
    package static let key: StaticString = "animal"
    package static let loadingText = "Loading..."

    package var currentAnimal = ""
    package var isLoading = false
    package var error: CodedError<RemoteFailure.Code>?
    /// The animal before the current fetch. It is shown again if the fetch fails or is cancelled.
    package var previousAnimal = ""

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        currentAnimal = try persisted.member("currentAnimal")
        isLoading = try persisted.member("isLoading")
        error = try persisted.member("error")
        // The persisted name. A change would need a migration.
        previousAnimal = try persisted.privateMember("shownBefore")
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("currentAnimal", currentAnimal)
        members.member("isLoading", isLoading)
        members.member("error", error)
    }

    package func encodePrivate(into members: inout PrivateStateEncoder) {
        members.member("shownBefore", previousAnimal)
    }
}

/// The actions of the animal slice.
package enum AnimalAction: DeclaredAction, Equatable {
    case fetchAnimal
    case cancelFetch
    case ackError
    case setCurrentAnimal(String)
    case fetchFailed(CodedError<RemoteFailure.Code>)

    package static let catalogue = ActionSchema<AnimalAction>([
        ActionDeclaration(
            "animal/fetchAnimal", "Fetches an animal's name from the animal API; a newer fetch replaces an older one.",
            .fetchAnimal),
        ActionDeclaration(
            "animal/cancelFetch", "Cancels the fetch under way and shows again what it was to replace.", .cancelFetch),
        ActionDeclaration("animal/ackError", "Clears the error of the last fetch.", .ackError),
        ActionDeclaration(
            "animal/setCurrentAnimal", "The fetched name arrives.", audience: .internal,
            fields: .text("animal", 0...AnimalService.maxNameLength, example: "Cat").described("The animal's name."),
            embed: { .setCurrentAnimal($0) },
            extract: { if case .setCurrentAnimal(let animal) = $0 { animal } else { nil } }),
        failed,
    ])

    private static var failed: ActionDeclaration<AnimalAction> {
        let fields = CodedError.fields(example: .init(RemoteFailure.Code.timeout, "no answer within 5 seconds"))
        return ActionDeclaration(
            "animal/fetchFailed", "The fetch brought nothing.", audience: .internal,
            fields: fields.code, fields.message,
            embed: { .fetchFailed(CodedError($0, $1)) },
            extract: { if case .fetchFailed(let error) = $0 { (error.code, error.message) } else { nil } })
    }
}

/// Shows the progress and the result of a fetch. The middleware does the fetch.
package struct AnimalReducer: Reducer {
    package init() {}

    package func decide(_ action: AnimalAction, in state: AnimalState) -> Decision {
        switch action {
        case .fetchAnimal: .accept
        case .ackError: state.error == nil ? .ignore : .accept
        case .cancelFetch, .setCurrentAnimal, .fetchFailed: state.isLoading ? .accept : .ignore
        }
    }

    package func reduce(_ state: inout AnimalState, _ action: AnimalAction) {
        switch action {
        case .fetchAnimal:
            // A fetch that replaces another keeps the animal from before the first.
            if !state.isLoading { state.previousAnimal = state.currentAnimal }
            state.currentAnimal = AnimalState.loadingText
            state.isLoading = true
            state.error = nil
        case .cancelFetch: state.endFetch(showing: state.previousAnimal)
        case .ackError: state.error = nil
        case .setCurrentAnimal(let animal): state.endFetch(showing: animal)
        case .fetchFailed(let error):
            state.endFetch(showing: state.previousAnimal)
            state.error = error
        }
    }
}

extension AnimalState {
    fileprivate mutating func endFetch(showing animal: String) {
        currentAnimal = animal
        isLoading = false
        previousAnimal = ""
    }
}

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

    /// The client that a server provides.
    package init(_ clients: RemoteClients) {
        self.init(
            client: clients[Self.remote.name], pointer: clients.value(of: Self.pointerSetting, for: Self.remote.name))
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

extension AnimalService {
    private static let pointerSetting = RemoteSetting.pointer(
        "pointer", JSONPointer(tokens: ["animal"]), "the place of the animal's name in the response (JSON Pointer)")

    /// The animal API as a configuration has it. Its demo names a random animal.
    package static let remote = RemoteService("animal", settings: [pointerSetting]) { request in
        guard request.method == "GET", request.target == nil else { return .json([:], status: 404) }
        let animals = ["Cat", "Dog", "Crow", "Horse", "Iguana", "Cow", "Racoon"]
        return .json(["animal": .string(animals.randomElement() ?? "")])
    }
}
