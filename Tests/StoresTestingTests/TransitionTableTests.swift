import Stores
import StoresTesting
import Testing

@Suite struct TransitionTableTests {
    private enum Light: Sendable, Equatable {
        case red
        case green
        case broken(times: Int)
    }

    private enum Change: Sendable { case go, stop, kick }

    private struct LightReducer: Reducer {
        /// Whether `apply` says something else than `decide`.
        var contradictsItself = false
        /// Whether a refused kick breaks the light all the same.
        var leavesTraces = false

        func decide(_ action: Change, in state: Light) -> Decision {
            switch (action, state) {
            case (.go, .red), (.stop, .green), (.kick, .broken): .accept
            case (.kick, _): .reject("vandalism")
            default: .ignore
            }
        }

        func reduce(_ state: inout Light, _ action: Change) {
            switch (action, state) {
            case (.go, _): state = .green
            case (.stop, _): state = .red
            case (.kick, .broken(let times)): state = .broken(times: times + 1)
            default: break
            }
        }

        func apply(_ action: Change, to state: inout Light) -> Decision {
            let decision = decide(action, in: state)
            if contradictsItself, decision == .ignore { return .accept }
            if decision == .accept { reduce(&state, action) }
            if leavesTraces, decision == .reject("vandalism") { state = .broken(times: 0) }
            return decision
        }
    }

    private typealias Row = TransitionRow<Light, Change>

    private let table = TransitionTable(
        states: ["red": Light.red, "green": .green, "broken": .broken(times: 1)],
        Row("go", .go, .becomes("green"), .ignored, .ignored),
        Row("stop", .stop, .ignored, .becomes("red"), .ignored),
        Row("kick", .kick, .rejected("vandalism"), .rejected("vandalism"), .changes { $0 = .broken(times: 2) }))

    private func failure(_ table: TransitionTable<Light, Change>, _ reducer: LightReducer = LightReducer()) -> String {
        #expect(throws: TransitionFailure.self) { try table.verify(reducer) }?.description ?? ""
    }

    @Test func aTableThatHoldsPassesForBothKindsOfReducers() async throws {
        try table.verify(LightReducer())
        try await table.verify(Asynchronous(LightReducer()))
    }

    @Test func allMismatchesAreReportedTogether() async {
        let table = TransitionTable(
            states: ["red": Light.red, "green": .green, "broken": .broken(times: 1)],
            Row("go", .go, .becomes("broken"), .stays, .ignored),
            Row("kick", .kick, .rejected("cruelty"), .ignored, .changes { $0 = .broken(times: 3) }))
        let expected = """
            5 of 6 transitions differ from the table:
            state  | action | expected              | found
            red    | go     | becomes broken        | becomes green
                broken(times: 1) → green
            green  | go     | stays                 | ignored
            red    | kick   | rejected cruelty      | rejected vandalism
            green  | kick   | ignored               | rejected vandalism
            broken | kick   | becomes another state | becomes another state
                broken.times: 3 → 2
            """
        #expect(failure(table) == expected)
        let asynchronous = await #expect(throws: TransitionFailure.self) {
            try await table.verify(Asynchronous(LightReducer()))
        }
        #expect(asynchronous?.description == expected)
    }

    @Test func missingCellsFail() {
        let table = TransitionTable(
            states: ["red": Light.red, "green": .green], Row("go", .go, .becomes("green")),
            Row("stop", .stop, .ignored, .becomes("blue")), Row("kick", .kick, .ignored, .stays, .ignored))
        #expect(
            failure(table) == """
                5 of 6 transitions differ from the table:
                state | action | expected                       | found
                green | go     | no cell                        | ignored
                green | stop   | becomes blue, an unknown state | becomes red
                red   | kick   | ignored                        | rejected vandalism
                green | kick   | stays                          | rejected vandalism
                      | kick   | 3 cells                        | 2 states
                """)
    }

    @Test func aReducerThatBreaksItsOwnRulesIsFound() {
        #expect(failure(table, LightReducer(contradictsItself: true)).contains("apply: accept, decide: ignore"))
        #expect(
            failure(table, LightReducer(leavesTraces: true)).contains(
                "leaves a trace: green → broken(times: 0)"))
    }

    @Test func aTransitionCanBeBroughtAboutByTheTest() async throws {
        try await table.verify { name, state, action in
            #expect(table.states.contains { $0.name == name && $0.state == state })
            let store = Store(state, reducer: LightReducer())
            switch store.dispatch(action).outcome {
            case .committed: return .becomes(store.state)
            case .rejected(let rejection, index: 0): return .rejected(rejection)
            default: return .ignored
            }
        }
    }
}
