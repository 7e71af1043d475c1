/// How long to wait for Redis. Only tests change it: what they expect must not depend on the speed of a machine.
package struct RedisTimeouts: Sendable {
    /// How long a command may take before it fails.
    package var reply: Duration
    /// How long the server may say nothing while an answer is outstanding.
    package var readTimeout: Duration
    /// How long it may take to connect, and to take the leave at the end.
    package var exchange: Duration

    package init(
        reply: Duration = .milliseconds(3500), readTimeout: Duration = .seconds(2), exchange: Duration = .seconds(1)
    ) {
        (self.reply, self.readTimeout, self.exchange) = (reply, readTimeout, exchange)
    }
}
