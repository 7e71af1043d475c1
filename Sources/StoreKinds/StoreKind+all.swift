import RemoteServices
package import StoreHosting
import Stores

extension StoreKind {
    /// All kinds. The first, `app`, is the default.
    package static let all: [StoreKind] = [
        .calling(AnimalService.remote, AuthService.remote) { .app(AnimalService($0), AuthService($0)) },
        .calling(AuthService.remote) { .login(AuthService($0)) },
        .calling(AuthService.remote) { .loginForm(AuthService($0)) },
        .calling(AnimalService.remote) { .animal(AnimalService($0)) },
        betting, planner,
    ]

    package static func app(_ animal: AnimalService, _ auth: AuthService) -> StoreKind {
        .store(
            "app", summary: "One state composed of every slice.", reducer: AppReducer(),
            middleware: AppMiddleware.all(animal: animal, auth: auth),
            selectors: PlannerState.selectors { (state: AppState) in state.planner })
    }

    /// The rules of the login in `app`, in an asynchronous store.
    package static func login(_ auth: AuthService) -> StoreKind {
        .async(
            "login", summary: "Signing in, with a reducer that is asynchronous and whose sends keep their order.",
            reducer: Asynchronous(Scope(\SingleSliceState<LoginState>.slice, .whole, LoginReducer())),
            middleware: [LoginMiddleware(auth).scoped(\SingleSliceState<LoginState>.slice, .whole)])
    }

    package static func loginForm(_ auth: AuthService) -> StoreKind {
        .store(
            "login-form", summary: "Signing in, with an observable value in place of a reducer.",
            reducer: Scope(\SingleSliceState<LoginForm>.slice, .whole, LoginForm.reducer),
            middleware: [FormMiddleware(auth).scoped(\SingleSliceState<LoginForm>.slice, .whole)])
    }

    package static func animal(_ service: AnimalService) -> StoreKind {
        .store(
            "animal", summary: "Fetching from a remote service, by middleware.",
            reducer: Scope(\SingleSliceState<AnimalState>.slice, .whole, AnimalReducer()),
            middleware: [AnimalMiddleware(service).scoped(\SingleSliceState<AnimalState>.slice, .whole)])
    }

    package static var betting: StoreKind {
        .store("betting", summary: "Reducers combined, with a rule across two slices.", BettingReducer.self)
    }

    package static var planner: StoreKind {
        .store(
            "planner", summary: "Tasks in a normalized state, a calendar, trends and settings.",
            reducer: PlannerReducer(), selectors: PlannerState.selectors(\.self))
    }
}
