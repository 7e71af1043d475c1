package import StoreHosting

extension StoreKind {
    /// All kinds. The first, `app`, is the default.
    package static let all = [
        App.store.kind, Login.store.kind, LoginForm.store.kind, Animal.store.kind, Betting.store.kind,
        Planner.store.kind, Petition.store.kind, Petitions.store.kind,
    ]
}
