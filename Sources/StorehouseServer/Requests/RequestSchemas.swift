import JSON

/// The schemas of the bodies of requests.
enum RequestSchemas {
    /// The body that creates a session.
    static func creation(store: JSONSchema) -> JSONSchema { .object([.optional("store", store)]) }

    /// The body that forks a session.
    static let fork = JSONSchema.object([
        .optional("revision", .integer(minimum: 0).described("The revision to begin with; the newest without one."))
    ])
}
