import Stores
import Testing

struct Harbour: Sendable, Equatable {
    var ferry = Ferry()
    var tug: Ferry?
    var boats: [String: Ferry] = [:]
    var landings = 0
}

enum HarbourAction: Sendable, Equatable {
    case ferry(FerryAction)
    case tug(FerryAction)
    case boat(ElementAction<String, FerryAction>)
}

extension CasePath<HarbourAction, FerryAction> {
    static var ferry: Self {
        CasePath(embed: { .ferry($0) }, extract: { if case .ferry(let action) = $0 { $1(action) } })
    }

    static var tug: Self {
        CasePath(embed: { .tug($0) }, extract: { if case .tug(let action) = $0 { $1(action) } })
    }
}

extension CasePath<HarbourAction, ElementAction<String, FerryAction>> {
    static var boat: Self {
        CasePath(embed: { .boat($0) }, extract: { if case .boat(let action) = $0 { $1(action) } })
    }
}

struct HarbourReducer: ComposedReducer {
    var body: some Reducer<Harbour, HarbourAction> {
        Scope(\.ferry, .ferry, FerryReducer())
        Scope(\.tug, .tug, IfPresent(FerryReducer()))
        Scope(\.boats, .boat, ForEach(FerryReducer()))
        OnAction { state, action in
            if action == .ferry(.land) { state.landings += 1 }
        }
    }
}

struct Booth: Sendable, Equatable {
    var tickets = 0
    var asked = 0
}

enum BoothAction: Sendable { case sell }

struct FerrySign: Connector {
    enum Button: Sendable { case bell }

    func viewState(of state: Ferry) -> String { "\(3 - state.cars) places left" }

    func action(for viewAction: Button) -> FerryAction { .land }
}

struct Boat: Sendable, Equatable, Identifiable {
    let id: String
    var berth = 1
}

struct Fleet: Sendable {
    @Tracked var boats: [Boat] = []
    var weather = "calm"
}

/// The samples of composed and derived stores in the articles.
@Suite struct HarbourSamples {
    @Test func compose() {
        let store = Store(Harbour(), reducer: HarbourReducer())
        #expect(store.dispatch(.ferry(.board)).outcome == .committed)
        #expect(store.dispatch(.ferry(.land)).outcome == .committed)
        #expect(store.read { $0.landings } == 1)
        // There is no tug, and no boat of that name.
        #expect(store.dispatch(.tug(.board)).outcome == .ignored)
        #expect(store.dispatch(.boat(ElementAction("Ada", .board))).outcome == .ignored)
    }

    @Test func ignoringIsAGuardOfItsPart() {
        let selling = Reduce<Booth, BoothAction>(
            decide: { _, booth in booth.tickets > 0 ? .accept : .ignore },
            reduce: { booth, _ in booth.tickets -= 1 })
        let counting = Reduce<Booth, BoothAction> { booth, _ in booth.asked += 1 }
        let store = Store(Booth(), reducer: combine(selling, counting))
        #expect(store.dispatch(.sell).outcome == .committed)
        #expect(store.state == Booth(tickets: 0, asked: 1))
    }

    @Test func rejectingIsAGuardOfTheWhole() {
        let counting = Reduce<Booth, BoothAction> { booth, _ in booth.asked += 1 }
        let selling = Reduce<Booth, BoothAction>(
            decide: { _, booth in booth.tickets > 0 ? .accept : .reject("sold-out") },
            reduce: { booth, _ in booth.tickets -= 1 })
        let store = Store(Booth(), reducer: combine(selling, counting))
        #expect(store.dispatch(.sell).outcome == .rejected("sold-out", index: 0))
        #expect(store.state == Booth())
    }

    @Test func composeWithMiddleware() async {
        let crossing = MiddlewareFunction<Ferry, FerryAction> { commit in
            commit.action == .board ? .run("ferry.cross") { .land } : .none
        }
        let ferry = FerryReducer().with(crossing)
        let reducer = Compose<Harbour, HarbourAction> {
            Scope(\.ferry, .ferry, ferry)
            Scope(\.tug, .tug, IfPresent(ferry))
            Scope(\.boats, .boat, ForEach(ferry))
        }
        let store = Store(Harbour(boats: ["Ada": Ferry()]), reducer: reducer)
        let receipt = store.dispatch(.boat(ElementAction("Ada", .board)))
        #expect(receipt.effects == ["ferry.cross"])
        await receipt.settled()
        #expect(store.state.boats["Ada"]?.cars == 0)
    }

    @Test func derive() {
        let harbour = Store(Harbour(), reducer: HarbourReducer())
        let ferry = harbour.derived(state: \.ferry, action: HarbourAction.ferry)
        ferry.send(.board)
        #expect(harbour.state.ferry.cars == 1)
        let sign = ferry.connected(by: FerrySign())
        #expect(sign.state == "2 places left")
        sign.send(.bell)
        #expect(sign.state == "3 places left")
    }

    @Test func stamp() {
        var fleet = Fleet()
        let before = fleet.$boats
        fleet.weather = "rough"
        #expect(fleet.$boats == before)
        fleet.boats.append(Boat(id: "Ada"))
        #expect(fleet.$boats != before)
    }

    @Test func tabulate() throws {
        var boats = EntityTable([Boat(id: "Ada"), Boat(id: "Emmy")])
        let before = boats.stamp
        boats.update("Ada") { $0.berth = 2 }
        boats.insert(Boat(id: "Grace"))
        let changes = try #require(boats.changes(since: before))
        #expect(changes.updated == ["Ada"])
        #expect(changes.inserted.map(\.id) == ["Grace"])
        #expect(boats["Ada"]?.berth == 2)
    }
}
