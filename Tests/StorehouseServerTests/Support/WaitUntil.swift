/// Waits until a condition holds, and gives up in the end.
func waitUntil(within seconds: Int = Wire.waitTimeout, _ isSo: () async throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(seconds)
    while try await !isSo() {
        guard ContinuousClock.now < limit else { throw Wire.Failure.tookTooLong }
        try await takeBreath()
    }
}

/// Leaves the processor to others between two looks. Swift has few threads, and a test that spins on one of them holds up the rest.
func takeBreath() async throws { try await Task.sleep(for: .milliseconds(1)) }

/// Runs steps that a client must finish before a timeout of the server. Runs them again if they fail because this machine was too
/// slow for the timeout.
func fasterThan<Result>(_ timeout: Duration, _ body: () async throws -> Result) async throws -> Result {
    let limit = ContinuousClock.now + .seconds(Wire.waitTimeout)
    while true {
        let start = ContinuousClock.now
        do {
            return try await body()
        } catch {
            let end = ContinuousClock.now
            // Half of it, because the two do not begin to count at the same moment.
            guard end - start >= timeout / 2, end < limit else { throw error }
        }
    }
}

/// Tries steps again that fail if the machine stalls at the wrong moment. A server that never does its part fails all attempts.
func inOneOf<Result>(_ attempts: Int, _ body: () async throws -> Result) async throws -> Result {
    for _ in 1..<attempts { if let result = try? await body() { return result } }
    return try await body()
}
