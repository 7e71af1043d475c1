import JSON

/// All that a client needs of its surroundings, so that tests control network, time and chance.
package struct ClientEnvironment: Sendable {
    package var transport: any ClientTransport
    package var clock: any ClientClock
    /// Gives numbers from 0 to 1.
    package var random: @MainActor @Sendable () -> Double
    /// Makes a random id: 22 characters of URL-safe base64.
    package var makeID: @MainActor @Sendable () -> String
    /// Begins to tell what the system says of its network, for as long as the result is held.
    var watch: @MainActor @Sendable (@escaping @MainActor @Sendable (ConnectionMachine.Event) -> Void) -> AnyObject? = {
        _ in nil
    }

    package init(
        transport: any ClientTransport, clock: any ClientClock,
        random: @escaping @MainActor @Sendable () -> Double = { .random(in: 0..<1) },
        makeID: @escaping @MainActor @Sendable () -> String = Self.randomID
    ) {
        self.transport = transport
        self.clock = clock
        self.random = random
        self.makeID = makeID
    }

    package static func randomID() -> String {
        var random = SystemRandomNumberGenerator()
        let digits = (0..<22).map { _ in Base64.urlSafe.digit(UInt8.random(in: 0..<64, using: &random)) }
        return String(decoding: digits, as: UTF8.self)
    }
}
