import JSON

extension ConfigurationKey {
    static let upstreams: [ConfigurationKey] =
        [
            ConfigurationKey(
                "upstreams.embedded", \.upstreams.embedded, .boolean,
                "serve each API that has no `url` from inside the process, over a loopback socket"),
            ConfigurationKey(
                "upstreams.maxDelay", \.upstreams.maxDelay, .seconds(milliseconds: 0...3_600_000),
                "the longest that the embedded animal API waits before it answers"),
        ]
        + endpoint("animal", "the animal API", \.upstreams.animal.endpoint)
        + [
            ConfigurationKey(
                "upstreams.animal.pointer", \.upstreams.animal.pointer, .pointer,
                "where in the answer the name stands (JSON Pointer)")
        ]
        + endpoint("auth", "the auth API", \.upstreams.auth.endpoint)
        + [
            ConfigurationKey(
                "upstreams.auth.usernameField", \.upstreams.auth.usernameField, .text("the name of a member", 1...256),
                "the member of the body that carries the user name"),
            ConfigurationKey(
                "upstreams.auth.passwordField", \.upstreams.auth.passwordField, .text("the name of a member", 1...256),
                "the member of the body that carries the password"),
            ConfigurationKey(
                "upstreams.auth.noStatuses", \.upstreams.auth.noStatuses,
                ValueFormat.integer(400...599).list("a list of statuses from 400 to 599"),
                "the statuses that mean that the credentials are wrong"),
        ]

    /// The keys that every remote API has.
    private static func endpoint(
        _ name: String, _ api: String, _ endpoint: any WritableKeyPath<Configuration, Configuration.Endpoint> & Sendable
    ) -> [ConfigurationKey] {
        let path = "upstreams.\(name)."
        return [
            ConfigurationKey(
                path + "url", in: endpoint, \.url, ValueFormat.url(headers: path + "headers").orNull(),
                "the whole URL of \(api); without one the embedded server answers"),
            ConfigurationKey(
                path + "headers", in: endpoint, \.headers, .headers,
                "sent with each call; values are secret (in the environment: `Name: value`, with commas between)"),
            ConfigurationKey(
                path + "timeout", in: endpoint, \.timeout, .seconds(milliseconds: 1...3_600_000),
                "the deadline of a whole call, retries included"),
            ConfigurationKey(
                path + "retries", in: endpoint, \.retries, .integer(0...100),
                "how often a call that failed is tried again"),
            ConfigurationKey(
                path + "maxConcurrent", in: endpoint, \.maxConcurrent, .integer(1...65536), "calls at once"),
            ConfigurationKey(
                path + "maxBodyBytes", in: endpoint, \.maxBodyBytes, .integer(1...1 << 30),
                "the largest body of an answer"),
            ConfigurationKey(
                path + "breaker.failures", in: endpoint, \.breaker.failures, .integer(1...1_000_000),
                "failures in a row that open the circuit"),
            ConfigurationKey(
                path + "breaker.cooldown", in: endpoint, \.breaker.cooldown,
                .seconds(milliseconds: 1...86_400_000), "how long the circuit stays open before one call is let through"
            ),
        ]
    }
}
