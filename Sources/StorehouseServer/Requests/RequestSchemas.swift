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

    /// The actions that are sent again to a fork.
    static let replay = JSONSchema.object([
        .optional(
            "skip",
            .array(of: .integer(minimum: 1), maxItems: 1000).described("The revisions of actions that are left out.")),
        .optional(
            "through", .integer(minimum: 0).described("The revision of the last action; the newest without one.")),
    ])
}
