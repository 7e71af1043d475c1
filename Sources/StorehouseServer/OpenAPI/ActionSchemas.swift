import JSON
import StoreHosting
import Stores

/// The schemas of one action type, which several kinds of store may declare.
struct ActionSchemas {
    let type: String
    let example: JSONValue
    private let summary: String
    private var stores: [String]
    /// One payload schema, unless the kinds disagree.
    private var payloads: [JSONValue]
    private var requiresPayload: Bool

    init(_ action: StoreKind.ActionDescription, of kind: StoreKind) {
        type = action.type
        example = action.example
        summary = action.summary
        stores = [kind.name]
        payloads = [.written(action.payload.encoded())]
        requiresPayload = Self.requiresPayload(action)
    }

    mutating func add(_ action: StoreKind.ActionDescription, of kind: StoreKind) {
        stores.append(kind.name)
        requiresPayload = requiresPayload && Self.requiresPayload(action)
        let payload = JSONValue.written(action.payload.encoded())
        if !payloads.contains(payload) { payloads.append(payload) }
    }

    /// The name of its component. Such names must not contain a slash.
    var component: String {
        "action." + type.utf8.map(Self.escaped).joined()
    }

    var schema: JSONValue {
        [
            "type": "object",
            "description": .string("\(summary) In: \(stores.joined(separator: ", "))."),
            "properties": [
                "type": ["type": "string", "const": .string(type)],
                "payload": payloads.count == 1 ? payloads[0] : ["anyOf": .array(payloads)],
            ],
            "required": requiresPayload ? ["type", "payload"] : ["type"],
            "additionalProperties": false,
        ]
    }

    private static func requiresPayload(_ action: StoreKind.ActionDescription) -> Bool {
        !action.payload.validate([:]).isEmpty
    }

    /// Escapes a byte that component names must not contain, so that no two types share a name.
    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "/"): "."
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            String(UnicodeScalar(byte))
        default: "_\(String(byte, radix: 16))_"
        }
    }
}
