package import StoreHosting
package import Stores

/// The state of all slices.
package struct AppState: HostedState, ObjectState, Restorable, Equatable {
    package var betting = BettingState()
    package var animal = AnimalState()
    package var login = LoginState()
    package var planner = PlannerState()

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        betting = try BettingState(restoring: persisted)
        animal = try persisted.slice()
        login = try persisted.slice()
        planner = try PlannerState(restoring: persisted)
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        betting.visitMembers(&members)
        members.slice(animal)
        members.slice(login)
        planner.visitMembers(&members)
    }

    package func encodePrivate(into members: inout PrivateStateEncoder) {
        members.slice(animal)
        members.slice(login)
        planner.encodePrivate(into: &members)
    }
}

/// The actions of all slices, nested.
package enum AppAction: DeclaredAction, Equatable {
    case betting(BettingAction)
    case animal(AnimalAction)
    case login(LoginAction)
    case planner(PlannerAction)

    package static let catalogue = ActionSchema<AppAction>(
        joining:
            BettingAction.catalogue.embedded(in: .betting),
        AnimalAction.catalogue.embedded(in: .animal),
        LoginAction.catalogue.embedded(in: .login),
        PlannerAction.catalogue.embedded(in: .planner))
}

extension CasePath<AppAction, BettingAction> {
    static var betting: Self {
        Self(embed: { .betting($0) }, extract: { if case .betting(let action) = $0 { $1(action) } })
    }
}

extension CasePath<AppAction, AnimalAction> {
    static var animal: Self {
        Self(embed: { .animal($0) }, extract: { if case .animal(let action) = $0 { $1(action) } })
    }
}

extension CasePath<AppAction, LoginAction> {
    static var login: Self {
        Self(embed: { .login($0) }, extract: { if case .login(let action) = $0 { $1(action) } })
    }
}

extension CasePath<AppAction, PlannerAction> {
    static var planner: Self {
        Self(embed: { .planner($0) }, extract: { if case .planner(let action) = $0 { $1(action) } })
    }
}

/// The reducers of all slices, composed.
package struct AppReducer: ComposedReducer {
    package init() {}

    package var body: some Reducer<AppState, AppAction> {
        Scope(\.betting, .betting, BettingReducer())
        Scope(\.animal, .animal, AnimalReducer())
        Scope(\.login, .login, LoginReducer())
        Scope(\.planner, .planner, PlannerReducer())
    }
}

/// The middleware of all slices that call remote services.
package enum AppMiddleware {
    package static func all(animal: AnimalService, auth: AuthService) -> [any Middleware<AppState, AppAction>] {
        [
            AnimalMiddleware(animal).scoped(\.animal, .animal),
            LoginMiddleware(auth).scoped(\.login, .login),
        ]
    }
}
