package import Stores

/// The actions of every slice, nested.
package enum AppAction: CataloguedAction, Equatable {
    case betting(BettingAction)
    case animal(AnimalAction)
    case login(LoginAction)
    case planner(PlannerAction)

    package static let catalogue = ActionCatalogue<AppAction>(
        joining:
            BettingAction.catalogue.embedded(in: .betting),
        AnimalAction.catalogue.embedded(in: .animal),
        LoginAction.catalogue.embedded(in: .login),
        PlannerAction.catalogue.embedded(in: .planner))
}

extension CasePath<AppAction, BettingAction> {
    static var betting: Self {
        Self(embed: { .betting($0) }, lend: { if case .betting(let action) = $0 { $1(action) } })
    }
}

extension CasePath<AppAction, AnimalAction> {
    static var animal: Self {
        Self(embed: { .animal($0) }, lend: { if case .animal(let action) = $0 { $1(action) } })
    }
}

extension CasePath<AppAction, LoginAction> {
    static var login: Self {
        Self(embed: { .login($0) }, lend: { if case .login(let action) = $0 { $1(action) } })
    }
}

extension CasePath<AppAction, PlannerAction> {
    static var planner: Self {
        Self(embed: { .planner($0) }, lend: { if case .planner(let action) = $0 { $1(action) } })
    }
}
