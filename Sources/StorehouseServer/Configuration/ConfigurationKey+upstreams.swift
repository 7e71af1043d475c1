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
            ConfigurationKey(
                "upstreams.auth.body", \.upstreams.auth.body, .choice,
                "how the body is written: a JSON object, or a form as OAuth 2 wants it"),
            ConfigurationKey(
                "upstreams.auth.fields", \.upstreams.auth.fields, .fields,
                "sent in the body beside the credentials; values are secret (in the environment: `name: value`, with commas between)"
            ),
            ConfigurationKey(
                "upstreams.auth.pointer", \.upstreams.auth.pointer, ValueFormat.pointer.orNull(),
                "what a good answer must have, as `/access_token` (JSON Pointer); null where the status says it all"),
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
                path + "maxWaiting", in: endpoint, \.maxWaiting, ValueFormat.integer(0...1_000_000).orNull(),
                "calls that wait for their turn; null is four times `maxConcurrent`"),
            ConfigurationKey(
                path + "maxBodyBytes", in: endpoint, \.maxBodyBytes, .integer(1...1 << 30),
                "the largest body of an answer"),
            ConfigurationKey(
                path + "maxHeaderBytes", in: endpoint, \.maxHeaderBytes, .integer(1024...1 << 20),
                "the largest header section of an answer"),
            ConfigurationKey(
                path + "lowSpeed.bytes", in: endpoint, \.lowSpeed.bytes, .integer(0...1 << 30),
                "an answer that has begun and brings fewer bytes a second is given up; 0 is never"),
            ConfigurationKey(
                path + "lowSpeed.time", in: endpoint, \.lowSpeed.time, .seconds(milliseconds: 1...3_600_000),
                "how long it has to be so slow"),
            ConfigurationKey(
                path + "caFile", in: endpoint, \.caFile, ValueFormat.text("a path", 1...4096).orNull(),
                "the certificates to trust (PEM); null is those of the system"),
            ConfigurationKey(
                path + "clientCertificate", in: endpoint, \.clientCertificate,
                ValueFormat.text("a path", 1...4096).orNull(), "the certificate that says who calls (PEM)"),
            ConfigurationKey(
                path + "clientKey", in: endpoint, \.clientKey, ValueFormat.text("a path", 1...4096).orNull(),
                "its key (PEM); null where the certificate's file has it"),
            ConfigurationKey(
                path + "clientKeyPassword", in: endpoint, \.clientKeyPassword,
                ValueFormat.secret(atLeast: 1).orNull(), "what the key is encrypted with"),
            ConfigurationKey(
                path + "denyPrivate", in: endpoint, \.denyPrivate, .boolean,
                "refuse addresses that are not on the public Internet, whatever a name or a redirect says"),
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
