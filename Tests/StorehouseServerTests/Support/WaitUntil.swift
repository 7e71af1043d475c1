/// Waits until a condition holds, and gives up in the end.
func waitUntil(within seconds: Int = Wire.patience, _ isSo: () async throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(seconds)
    while try await !isSo() {
        guard ContinuousClock.now < limit else { throw Wire.Failure.tookTooLong }
        await Task.yield()
    }
}
