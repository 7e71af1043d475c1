package import Stores

/// The middleware of every slice that calls a remote service.
package enum AppMiddleware {
    package static func all(animal: AnimalService, auth: AuthService) -> [any Middleware<AppState, AppAction>] {
        [
            AnimalMiddleware(animal).scoped(\.animal, .animal),
            LoginMiddleware(auth).scoped(\.login, .login),
        ]
    }
}
