import JSON
import Security

/// The schemas of the bodies of requests.
enum RequestSchemas {
    /// The body that creates a session.
    static func creation(store: JSONSchema) -> JSONSchema { .object([.optional("store", store)]) }

    /// The body that forks a session.
    static let fork = JSONSchema.object([
        .optional("revision", .integer(minimum: 0).described("The revision to begin with; the newest without one."))
    ])

    /// The body that makes a share.
    static let share = JSONSchema.object([
        .optional(
            "may",
            .array(of: .enumeration(Share.permissions.map(\.rawValue)), minItems: 1, maxItems: 8)
                .described("What the share allows.").defaulting(to: [.string(Permission.read.rawValue)])),
        .optional(
            "select",
            .string().described("The part of the state that it shows: a JSON Pointer, or the name of a selector.")
                .defaulting(to: "")),
        .optional(
            "expiresIn",
            .integer(Share.lifetimes).described("For how many seconds it is valid.")
                .defaulting(to: .integer(Share.usualLifetime))),
    ])
}
