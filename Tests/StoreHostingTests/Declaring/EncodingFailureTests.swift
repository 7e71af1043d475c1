import JSON
import StoreHosting
import Stores
import Testing

/// A number that only encodes if it is even.
private struct Even: Codable, Sendable {
    var number = 0

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard number % 2 == 0 else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: encoder.codingPath, debugDescription: "The number is odd."))
        }
        try container.encode(number)
    }

    init(_ number: Int = 0) { self.number = number }

    init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
}

private struct Steps: Sendable {
    var even = Even()
    var inner = Inner()

    struct Inner: Sendable { var hidden = Even() }
}

private func definition(_ initial: Steps = Steps()) -> StoreDefinition<Steps> {
    StoreDefinition("steps", "Even numbers.", initial) {
        Member("even", \.even)
        Part("inner", \.inner) {
            Member("hidden", \.hidden, .secret)
            Action("hide", "Sets the secret.", .integer("number", 0...9)) { inner, number in
                inner.hidden.number = number
            }
        }
        Action("set", "Sets the number.", .integer("number", 0...9)) { steps, number in steps.even.number = number }
    }
}

@Suite struct EncodingFailureTests {
    @Test func anInitialStateThatCannotBeEncodedIsAProblem() {
        #expect(definition().kind.problems == [])
        #expect(
            definition(Steps(even: Even(1))).kind.problems == [
                "The initial state is not valid. The member /even of the state cannot be encoded: its encode(to:) throws: "
                    + "The number is odd."
            ])
        #expect(
            definition(Steps(inner: .init(hidden: Even(1)))).kind.problems == [
                "The initial state is not valid. A private member of the state cannot be encoded: its encode(to:) throws: "
                    + "The number is odd."
            ])
    }

    @Test func aDryRunIsRejected() {
        let store = definition().kind.makeStore()
        var options = DispatchOptions()
        options.isDryRun = true
        nonisolated(unsafe) var result: DispatchResult?
        store.dispatch(["type": "steps/set", "payload": ["number": 3]], options) { result = $0 }
        guard case .rejected(let rejection, _)? = result?.outcome else {
            Issue.record("a dry run is not rejected")
            return
        }
        #expect(rejection.reason == "not-encodable" && rejection.isFault)
    }

    @Test func aCommitThatCannotBeEncodedEndsTheProcess() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = definition().kind.makeStore()
            store.dispatch(["type": "steps/set", "payload": ["number": 4]], DispatchOptions()) { _ in }
            store.dispatch(["type": "steps/set", "payload": ["number": 3]], DispatchOptions()) { _ in }
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            text.contains("The member /even of the state cannot be encoded: its encode(to:) throws: The number is odd.")
        )
    }

    @Test func aSecretThatCannotBeEncodedEndsTheProcess() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = definition().kind.makeStore()
            store.dispatch(["type": "inner/hide", "payload": ["number": 3]], DispatchOptions()) { _ in }
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("A private member of the state cannot be encoded"))
    }
}
