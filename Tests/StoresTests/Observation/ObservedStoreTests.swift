import Observation
import Stores
import Testing

@Suite("A store as views see it")
struct ObservedStoreTests {
    private struct Screen: Sendable, Equatable {
        var title = ""
        var count = 0
    }

    private enum ScreenAction: Sendable {
        case title(String)
        case count(Int)
    }

    private let store = Store(
        Screen(),
        reducer: Reduce<Screen, ScreenAction> { screen, action in
            switch action {
            case .title(let title): screen.title = title
            case .count(let count): screen.count = count
            }
        })

    /// Counts the changes of what `read` reads, until the first one.
    @MainActor private func follow(_ read: () -> Void) -> Recorder<Void> {
        let changes = Recorder<Void>()
        withObservationTracking(read) { changes.record(()) }
        return changes
    }

    @MainActor @Test("tells whoever reads a member of the changes of this member only")
    func members() {
        let observed = ObservedStore(store)
        let (title, whole) = (follow { _ = observed.title }, follow { _ = observed.state })
        observed.send(.count(1))
        #expect(title.values.isEmpty && whole.values.count == 1)
        #expect(observed.count == 1 && observed.state.count == 1)
        observed.send(.title("New"))
        #expect(title.values.count == 1 && observed.title == "New")
    }

    @MainActor @Test("is told of changes by other threads, of the newest at least")
    func otherThreads() async {
        let (observed, store) = (ObservedStore(store), store)
        let (changed, done) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = observed.count
        } onChange: {
            done.yield()
        }
        await Task.detached { for count in 1...100 { store.dispatch(.count(count)) } }.value
        for await _ in changed { break }
        while observed.count != 100 { await Task.yield() }
    }

    @MainActor @Test("sets a member of an observable value, and shows the old one if an invariant refuses it")
    func values() {
        let value = ObservableStore(Screen(), invariants: [Invariant("too-many") { $0.count <= 9 }])
        let observed = ObservedStore(value)
        observed.count = 9
        #expect(value.state.count == 9 && observed.count == 9)
        observed.count = 10
        #expect(value.state.count == 9 && observed.count == 9)
    }

    @MainActor @Test("ends its observation when it goes")
    func lifetime() {
        weak var gone: ObservedStore<Screen, ScreenAction>?
        do {
            let observed = ObservedStore(store)
            gone = observed
            observed.send(.count(1))
        }
        #expect(gone == nil)
        store.dispatch(.count(2))
    }
}
