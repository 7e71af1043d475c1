package import Stores

/// What can be done with the trends; what they count are other actions.
package enum TrendsAction: CataloguedAction, Equatable {
    case reset

    package static let catalogue = ActionCatalogue<TrendsAction>([
        ActionDeclaration("trends/reset", "Begins to count from 0 again.", .reset)
    ])
}
