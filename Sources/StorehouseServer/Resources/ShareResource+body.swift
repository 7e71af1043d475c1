import HTTPServer
import JSON
import Security
import Sessions
import Stores

// The body of `POST /sessions/{id}/shares`.
extension ShareCreation.Wish {
    private static let guestPrefix = "guest:"

    /// The id that the maker of a share has given to a holder.
    static func givenID(of holder: Actor) -> String { String(holder.id.text.dropFirst(guestPrefix.count)) }

    /// Reads the body, which may be missing. The share must not allow more than the credentials do.
    init(of context: RequestContext) throws(Problem) {
        let body = context.request.body.isEmpty ? [:] : try context.request.shortJSON()
        for name in body["may"]?.asArray ?? [.string(Permission.read.rawValue)] {
            if let permission = name.asSubject.flatMap(Permission.init(named:)) {
                try context.require(permission)
            }
        }
        let violations = Share.schema.validate(body)
        guard violations.isEmpty else { throw Problem(.invalid(violations, .permit)) }
        let wrong = Self.violations(of: body)
        guard wrong.isEmpty else { throw Problem(.invalid(wrong, .permit)) }
        self.init()
        if let names = body["may"]?.asArray?.compactMap(\.asString) {
            permissions = Permissions(Share.permissions.filter { names.contains($0.rawValue) })
        }
        selection = body["select"]?.asString ?? ""
        lifetime = body["expiresIn"]?.asInteger ?? lifetime
        actions = body["actions"]?.asArray?.compactMap(\.asString)
        label = body["label"]?.asString
        holder = body["as"].map { holder in
            .guest(
                ActorID(Self.guestPrefix + (holder["id"]?.asString ?? "")), name: holder["name"]?.asString,
                roles: holder["roles"]?.asArray?.compactMap(\.asString) ?? [])
        }
        guard selection.utf8.count <= Share.maxSelectionBytes else {
            throw Problem(
                .invalid(
                    [.init(pointer: JSONPointer(tokens: ["select"]), detail: "is too long for a share")], .longPermit))
        }
    }

    private static let texts = [["as", "id"], ["as", "name"], ["as", "roles"], ["label"]]
        .map { JSONPointer(tokens: $0) }

    /// The faults of a body that its schema does not know.
    private static func violations(of body: JSONValue) -> [JSONSchema.Violation] {
        let violations = PlainTexts.violations(of: body, at: texts)
        guard violations.isEmpty, let name = body["as"]?["name"]?.asString, !ActorClaims.isName(name) else {
            return violations
        }
        return [.init(pointer: JSONPointer(tokens: ["as", "name"]), detail: "must have 1 to 256 bytes of UTF-8")]
    }
}

extension Share {
    /// The body that makes a share.
    static let schema = JSONSchema.object([
        .optional(
            "may",
            .array(of: .enumeration(Share.permissions.map(\.rawValue)), minItems: 1, maxItems: 8)
                .described("What the share allows.").defaulting(to: [.string(Permission.read.rawValue)])),
        .optional(
            "select",
            .string().described("The part of the state that it shows: a JSON Pointer, or the name of a selector.")
                .defaulting(to: "")),
        .optional(
            "actions",
            .array(of: .string(), minItems: 1, maxItems: 100)
                .described("The types of the actions that its holder may send, if it may act. Without it, all of them.")
        ),
        .optional("as", holder.described("The guest that its holder is. Without it, the holder is anonymous.")),
        .optional(
            "label", .string(maxLength: 100, counting: .characters).described("What its maker calls it in the list.")),
        .optional(
            "expiresIn",
            .integer(Share.lifetimes).described("For how many seconds it is valid.")
                .defaulting(to: .integer(Share.usualLifetime))),
    ])

    private static let holder = JSONSchema.object([
        .required(
            "id",
            .string(minLength: 1, maxLength: 64, counting: .characters)
                .described("Tells the guest from others. The id of the actor has `guest:` before it.")),
        .optional("name", .string().described("For people to read, at most 256 bytes.")),
        .optional(
            "roles",
            .array(of: .string(minLength: 1, maxLength: 64), maxItems: ActorClaims.maxRoles)
                .described("Roles that the maker of the share has.")),
    ])
}
