package import Stores

/// What can happen to the animal.
package enum AnimalAction: CataloguedAction, Equatable {
    case fetchAnimal
    case cancelFetch
    case ackError
    case setCurrentAnimal(String)
    case fetchFailed(CodedError<RemoteFailure.Code>)

    package static let catalogue = ActionCatalogue<AnimalAction>([
        ActionDeclaration(
            "animal/fetchAnimal", "Fetches an animal's name from the animal API; a newer fetch replaces an older one.",
            .fetchAnimal),
        ActionDeclaration(
            "animal/cancelFetch", "Cancels the fetch under way and shows again what it was to replace.", .cancelFetch),
        ActionDeclaration("animal/ackError", "Clears the error of the last fetch.", .ackError),
        ActionDeclaration(
            "animal/setCurrentAnimal", "The fetched name arrives.", audience: .internal,
            fields: .text("animal", 0...AnimalService.longestName, example: "Cat").described("The animal's name."),
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
