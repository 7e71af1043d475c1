import JSON

/// The schemas of the bodies of requests.
enum RequestSchemas {
    /// The body that creates a session.
    static func creation(store: JSONSchema) -> JSONSchema { .object([.optional("store", store)]) }

    /// The body that forks a session.
    static let fork = JSONSchema.object([
        .optional("revision", .integer(minimum: 0).described("The revision to begin with; the newest without one.")),
        .optional("replay", replay),
    ])

    /// The body that sends a signal.
    static let signal = JSONSchema.object([
        .required(
            "type",
            .string(minLength: 1, maxLength: 128, counting: .characters)
                .described("Says what it is about, without control characters. No kind of store declares it.")),
        .optional("payload", .any.described("Any JSON.").defaulting(to: .null)),
    ])

    /// The body that sends the entries of an outbox.
    static let sync = JSONSchema.object([
        .required(
            "client",
            .string(minLength: 22, maxLength: 64, counting: .characters)
                .described("The id of the client: 128 random bits in URL-safe base64, made once for each outbox.")),
        .optional(
            "new",
            .boolean.described("Whether the client begins its record; then `from` is 1, and there are no entries.")
                .defaulting(to: .bool(false))),
        .required(
            "from",
            .integer(1...maxEntryNumber)
                .described("The number of the first entry. The client knows the outcomes of all numbers below it.")),
        .optional(
            "entries",
            .array(of: entry, maxItems: 100).described("The entries with the numbers `from`, `from` + 1, and so on.")
                .defaulting(to: .array([]))),
    ])

    /// The largest number that is the same in all languages: 2^53 - 1.
    static let maxEntryNumber = 9_007_199_254_740_991

    private static let entry = JSONSchema.object([
        .required(
            "actions",
            .array(of: .any, minItems: 1, maxItems: 100).described("The actions, which commit together or not at all.")),
        .optional(
            "ifMatch",
            .string(minLength: 1, maxLength: 256, counting: .characters)
                .described("The revisions at which the entry may be committed: an entity tag, or what If-Match takes.")),
    ])

    /// The actions that are sent again to a fork.
    static let replay = JSONSchema.object([
        .optional(
            "skip",
            .array(of: .integer(minimum: 1), maxItems: 1000).described("The revisions of actions that are left out.")),
        .optional(
            "replace",
            .dictionary(of: .any, maxProperties: 1000).described(
                "Actions that are sent in the place of others, by the revisions of those: `{\"4\":{\"type\":\"…\"}}`.")),
        .optional(
            "through", .integer(minimum: 0).described("The revision of the last action; the newest without one.")),
    ])
}
