import Testing

@Suite(.timeLimit(.minutes(5)))
struct GateTests {
    private let gate = Gate(places: 1)

    @Test func aTaskInsideNeedsNoSecondPlace() async throws {
        let result = try await gate.pass { try await gate.pass { 1 } }
        #expect(result == 1)
        // The place is free again.
        try await gate.pass {}
    }
}
