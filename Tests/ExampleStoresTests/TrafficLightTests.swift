import ExampleStores
import Stores
import StoresTesting
import Testing

@Suite struct TrafficLightTests {
    private typealias Row = TransitionRow<TrafficLight, TrafficLightAction>

    /// The transitions of every light at every event. At second 100 each has just begun, but for the green that is
    /// hurried.
    private static let table = TransitionTable(
        states: [
            "off": .off,
            "red": .running(.red, until: 120_000),
            "green": .running(.green, until: 160_000),
            "hurried": .running(.green, until: 105_000),
            "yellow": .running(.yellow, until: 103_000),
            "flashing": .faulty(isLit: true, until: 101_000),
        ],
        Row("on", .at(100, .switchOn), .becomes("red"), .ignored, .ignored, .ignored, .ignored, .ignored),
        Row(
            "off", .at(100, .switchOff),
            .ignored, .becomes("off"), .becomes("off"), .becomes("off"), .becomes("off"), .becomes("off")),
        Row(
            "button", .at(100, .pressButton),
            .rejected("switched-off"), .ignored, .becomes("hurried"), .ignored, .ignored, .rejected("out-of-order")),
        Row(
            "fault", .at(100, .fail),
            .rejected("switched-off"), .becomes("flashing"), .becomes("flashing"), .becomes("flashing"),
            .becomes("flashing"), .ignored),
        Row(
            "repair", .at(100, .repair), .ignored, .ignored, .ignored, .ignored, .ignored, .becomes("red")),
        Row(
            "too early", .at(100, .endPhase), .ignored, .ignored, .ignored, .ignored, .ignored, .ignored),
        Row(
            "in time", .at(160, .endPhase),
            .ignored, .changes { $0 = .running(.green, until: 220_000) },
            .changes { $0 = .running(.yellow, until: 163_000) }, .changes { $0 = .running(.yellow, until: 163_000) },
            .changes { $0 = .running(.red, until: 180_000) }, .changes { $0 = .faulty(isLit: false, until: 161_000) }))

    @Test func everyEventInEveryLight() throws {
        try Self.table.verify(TrafficLightReducer())
    }

    private func store(_ light: TrafficLight, second: Int = 0) -> TestStore<TrafficLight, TrafficLightAction> {
        let clock = TestClock(now: second * 1000)
        return TestStore(
            light, reducer: TrafficLightReducer(), middleware: TrafficLight.middleware(clock: clock), clock: clock)
    }

    @Test func goesRoundByItself() throws {
        let store = store(.off)
        try store.dispatch(.at(0, .switchOn)) { $0 = .running(.red, until: 20_000) }
        try store.advance(by: .seconds(20))
        try store.receive(.at(20, .endPhase)) { $0 = .running(.green, until: 80_000) }
        try store.advance(by: .seconds(60))
        try store.receive(.at(80, .endPhase)) { $0 = .running(.yellow, until: 83_000) }
        try store.advance(by: .seconds(3))
        try store.receive(.at(83, .endPhase)) { $0 = .running(.red, until: 103_000) }
        try store.dispatch(.at(83, .switchOff)) { $0 = .off }
        try store.advance(by: .seconds(3600))
        try store.finish()
    }

    @Test func theButtonShortensTheGreenAndReplacesItsDeadline() throws {
        let store = store(.running(.green, until: 80_000), second: 30)
        try store.dispatch(.at(30, .pressButton)) { $0 = .running(.green, until: 35_000) }
        try store.advance(by: .seconds(1))
        try store.expectIgnored(.at(31, .pressButton))
        try store.advance(by: .seconds(4))
        try store.receive(.at(35, .endPhase)) { $0 = .running(.yellow, until: 38_000) }
        try store.advance(by: .seconds(3))
        try store.receive(.at(38, .endPhase)) { $0 = .running(.red, until: 58_000) }
        try store.advance(by: .seconds(20))
        try store.receive(.at(58, .endPhase)) { $0 = .running(.green, until: 118_000) }
        try store.advance(to: 117_999)
        try store.finish()
    }

    @Test func yellowFlashesUntilTheRepair() throws {
        let store = store(.running(.red, until: 20_000))
        try store.dispatch(.at(0, .fail)) { $0 = .faulty(isLit: true, until: 1_000) }
        try store.advance(by: .seconds(2))
        try store.receive(.at(1, .endPhase)) { $0 = .faulty(isLit: false, until: 2_000) }
        try store.receive(.at(2, .endPhase)) { $0 = .faulty(isLit: true, until: 3_000) }
        try store.expectRejected(.at(2, .pressButton), "out-of-order")
        try store.dispatch(.at(2, .repair)) { $0 = .running(.red, until: 22_000) }
        try store.advance(to: 21_999)
        try store.finish()
    }

    @Test func aRestoredLightContinues() throws {
        let store = store(.running(.green, until: 50_000), second: 30)
        try store.resume()
        try store.advance(to: 49_999)
        try store.finish()
        try store.advance(to: 50_000)
        try store.receive(.at(50, .endPhase)) { $0 = .running(.yellow, until: 53_000) }
        try store.finish()
    }

    @Test func aRestoredLightSkipsMissedChanges() throws {
        let store = store(.running(.green, until: 50_000), second: 4000)
        try store.resume()
        try store.receive(.at(4000, .endPhase)) { $0 = .running(.yellow, until: 4_003_000) }
        try store.finish()
    }

    @Test func noSenderIsBelievedAboutTheTime() throws {
        let (clock, executor) = (TestClock(now: 7_000), ManualExecutor())
        let store = Store(
            .off, reducer: TrafficLightReducer(), middleware: TrafficLight.middleware(clock: clock),
            environment: StoreEnvironment(
                clock: clock, startTask: { Task(executorPreference: executor, operation: $0) }))
        store.dispatch(TrafficLightAction(.switchOn, at: 1_000_000))
        #expect(store.state == .running(.red, until: 27_000))
    }
}

extension TrafficLightAction {
    static func at(_ second: Int, _ event: Event) -> TrafficLightAction {
        TrafficLightAction(event, at: second * 1000)
    }
}
