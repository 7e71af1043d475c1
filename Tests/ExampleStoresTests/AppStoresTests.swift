import ExampleStores
import Locks
import Observation
import Stores
import StoresTesting
import Testing

/// The stores of docs/stores-in-apps.md and docs/stores-in-apps/parts.md.
@Suite struct AppStoresTests {
    @Test func aLoginIsSeenToAuthenticateWhileTheServiceIsAsked() async {
        let (asked, answer) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Bool.self))
        let reducer = LoginReducer { _, _ throws(LoginError) in
            asked.continuation.yield()
            guard let isRight = await answer.stream.first(where: { _ in true }) else { throw .network }
            return isRight
        }
        let store = AsyncStore(Login(), reducer: reducer)
        let phases = Locked<[Login.Phase]>([])
        let subscription = store.observe { login in phases.withLock { $0.append(login.phase) } }
        #expect(await store.dispatch(.authenticate).outcome == .rejected("credentials-not-valid", index: 0))
        await store.dispatch(.username("some username"))
        await store.dispatch(.password("some password"))
        async let receipt = store.dispatch(.authenticate)
        await asked.stream.first { _ in true }
        #expect(store.state.phase == .authenticating && store.revision == 2)
        answer.continuation.yield(true)
        #expect(await receipt.revision == 3)
        #expect(phases.withLock(\.self) == [.idle, .validating, .valid, .authenticating, .authenticated])
        withExtendedLifetime(subscription) {}
    }

    @Test func aLoginThatFailsCanBeTriedAgain() async {
        let store = AsyncStore(Login(), reducer: LoginReducer { _, _ throws(LoginError) in throw .network })
        await store.dispatch(.username("some username"))
        await store.dispatch(.password("some password"))
        await store.dispatch(.authenticate)
        #expect(store.state.phase == .failed(.network))
        await store.dispatch(.acknowledgeError)
        #expect(store.state.phase == .valid)
    }

    @MainActor @Test func aFormIsAnObservableValueWithoutActions() async {
        let model = LoginModel { name, _ throws(LoginError) in name == "some username" }
        let changes = Locked(0)
        #expect(
            !withObservationTracking {
                model.form.hasValidCredentials
            } onChange: {
                changes.withLock { $0 += 1 }
            })
        model.form.username = "another name"
        #expect(changes.withLock(\.self) == 0)
        model.form.password = "some password"
        #expect(changes.withLock(\.self) == 1 && model.form.hasValidCredentials)
        await model.authenticate()
        #expect(model.form.error == .invalidCredentials && !model.form.isBusy)
        model.acknowledgeError()
        model.form.username = "some username"
        await model.authenticate()
        #expect(model.form.isAuthenticated)
    }

    @Test func anAnimalComesFromAServiceAndEachActionIsLogged() async {
        struct NoAnswer: Error {}
        let lines = Locked<[String]>([])
        let names = Locked(["Iguana"])
        let store = Store(
            Animal(), reducer: animalReducer,
            middleware: [
                animalMiddleware { try names.withLock { names in names.popLast() } ?? { throw NoAnswer() }() },
                logMiddleware { line in lines.withLock { $0.append(line) } },
            ])
        await store.dispatch(.fetch).settled()
        #expect(store.state.name == "Iguana")
        await store.dispatch(.fetch).settled()
        #expect(store.state.error == "NoAnswer()" && !store.state.isLoading)
        #expect(
            lines.withLock(\.self) == ["1: fetch", "2: fetched(\"Iguana\")", "3: fetch", "4: failed(\"NoAnswer()\")"])
    }

    @Test func partsOfAnAppKnowOnlyTheirOwnActions() {
        let store = Store(Betting(), reducer: BettingReducer())
        store.dispatch(.balance(.pay(500)))
        store.dispatch(.slip(.add("Arsenal")))
        store.dispatch(.slip(.add("Leeds")))
        store.dispatch(.slip(.remove("Arsenal")))
        #expect(store.state.balance == 500 && store.state.slip == ["Leeds"])
    }

    @Test func aTaskIsStoredOnceAndADerivedStoreFollowsItsPart() {
        let store = Store(TaskList(), reducer: taskListReducer)
        let derived = store.derived(state: \.favouriteTasks)
        let titles = Locked<[[String]]>([])
        let subscription = derived.observe { tasks in titles.withLock { $0.append(tasks.map(\.title)) } }
        store.dispatch(.add(TaskItem(id: 1, title: "Run")))
        store.dispatch(.setFavourite(1, true))
        store.dispatch(.setPageSize(50))
        store.dispatch(.rename(1, "Swim"))
        #expect(titles.withLock(\.self) == [[], ["Run"], ["Swim"]])
        withExtendedLifetime(subscription) {}
    }
}
