package import RemoteServices
package import StoreHosting
import Stores

/// The displayed animal and the progress of its fetch.
package struct Animal: Sendable, Equatable {
    package static let loadingText = "Loading..."

    package var currentAnimal = ""
    package var isLoading = false
    package var error: CodedError<RemoteFailure.Code>?
    /// The animal before the current fetch. It is shown again if the fetch fails or is cancelled.
    package var previousAnimal = ""

    package init() {}

    package static let fetchAnimal = Action<Animal, Void>(
        "fetchAnimal", "Fetches an animal's name from the animal API; a newer fetch replaces an older one."
    ) { animal in
        // A fetch that replaces another keeps the animal from before the first.
        if !animal.isLoading { animal.previousAnimal = animal.currentAnimal }
        animal.currentAnimal = loadingText
        animal.isLoading = true
        animal.error = nil
    }

    package static let cancelFetch = Action<Animal, Void>(
        "cancelFetch", "Cancels the fetch under way and shows again what it was to replace.",
        rules: .ignore { !$0.isLoading }
    ) { $0.endFetch(showing: $0.previousAnimal) }

    package static let ackError = Action<Animal, Void>(
        "ackError", "Clears the error of the last fetch.", rules: .ignore { $0.error == nil }
    ) { $0.error = nil }

    package static let setCurrentAnimal = Action<Animal, String>(
        "setCurrentAnimal", "The fetched name arrives.",
        .text("animal", 0...AnimalService.maxNameLength, example: "Cat").described("The animal's name."),
        audience: .internal, rules: .ignore { animal, _ in !animal.isLoading }
    ) { animal, name in animal.endFetch(showing: name) }

    package static let fetchFailed = Action<Animal, (RemoteFailure.Code, String)>(
        "fetchFailed", "The fetch brought nothing.", failure.code, failure.message, audience: .internal,
        rules: .ignore { animal, _, _ in !animal.isLoading }
    ) { animal, code, message in
        animal.endFetch(showing: animal.previousAnimal)
        animal.error = CodedError(code, message)
    }

    static let fetch = Call("animal.fetch", on: fetchAnimal, to: AnimalService.remote, cancelledBy: cancelFetch) {
        (clients, _) async throws(RemoteFailure) in
        setCurrentAnimal(try await AnimalService(clients).animal())
    } failed: {
        fetchFailed($0.code, $0.message)
    } isWaiting: {
        $0.isLoading
    }

    package static let elements = StoreElements<Animal> {
        Member("currentAnimal", \.currentAnimal)
        Member("isLoading", \.isLoading)
        Member("error", \.error)
        // The persisted name. A change would need a migration.
        Member("shownBefore", \.previousAnimal, .hidden)
        fetchAnimal
        cancelFetch
        ackError
        setCurrentAnimal
        fetchFailed
        fetch
    }

    package static let store = StoreDefinition(
        "animal", "Fetching from a remote service, by middleware.", Animal()
    ) {
        Part("animal", \.self) { elements }
    }

    private static let failure = CodedError.fields(
        example: .init(RemoteFailure.Code.timeout, "no answer within 5 seconds"))

    private mutating func endFetch(showing animal: String) {
        currentAnimal = animal
        isLoading = false
        previousAnimal = ""
    }
}
