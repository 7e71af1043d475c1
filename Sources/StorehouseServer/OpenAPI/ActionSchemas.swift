import JSON
import Locks
import StoreHosting
import Stores

/// An action type for the OpenAPI document: what the kinds of store that have it say of it.
struct DescribedAction {
    let type: String
    let example: JSONValue
    private let summary: String
    private var stores: [String]
    /// One, unless kinds disagree about what this type carries.
    private var payloads: [JSONValue]
    private var needsPayload: Bool

    init(_ action: StoreKind.ActionDescription, of kind: StoreKind) {
        type = action.type
        example = action.example
        summary = action.summary
        stores = [kind.name]
        payloads = [.written(action.payload.encoded())]
        needsPayload = Self.needsPayload(action)
    }

    mutating func add(_ action: StoreKind.ActionDescription, of kind: StoreKind) {
        stores.append(kind.name)
        needsPayload = needsPayload && Self.needsPayload(action)
        let payload = JSONValue.written(action.payload.encoded())
        if !payloads.contains(payload) { payloads.append(payload) }
    }

    /// Its name among the components, where a slash may not stand.
    var component: String {
        "action." + type.utf8.map(Self.spelled).joined()
    }

    var schema: JSONValue {
        [
            "type": "object",
            "description": .string("\(summary) In: \(stores.joined(separator: ", "))."),
            "properties": [
                "type": ["type": "string", "const": .string(type)],
                "payload": payloads.count == 1 ? payloads[0] : ["anyOf": .array(payloads)],
            ],
            "required": needsPayload ? ["type", "payload"] : ["type"],
            "additionalProperties": false,
        ]
    }

    private static func needsPayload(_ action: StoreKind.ActionDescription) -> Bool {
        !action.payload.validate([:]).isEmpty
    }

    /// A byte in letters that the name of a component may have, so that no two types share a name.
    private static func spelled(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "/"): "."
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            String(UnicodeScalar(byte))
        default: "_\(String(byte, radix: 16))_"
        }
    }
}

/// The documents that never change while the server runs, each encoded once.
struct Documents: Sendable {
    let index: [UInt8]
    let stores: [UInt8]
    private let description: OpenAPI
    // Guards the description's encoding, made for the first who asks: it takes longer than all else that a start
    // does. Nothing else is locked while it is held.
    private let encodedDescription: Locked<[UInt8]?> = Locked(nil)

    init(_ kinds: [StoreKind], defaultStore: String, hasInspector: Bool) {
        index = Self.index(hasInspector: hasInspector)
        stores = Self.stores(kinds)
        description = OpenAPI(kinds: kinds, defaultStore: defaultStore, hasInspector: hasInspector)
    }

    var openAPI: [UInt8] {
        encodedDescription.withLock { encoded in
            if let encoded { return encoded }
            let document = description.document.encoded(reservingCapacity: 131_072)
            encoded = document
            return document
        }
    }

    private static func index(hasInspector: Bool) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("name", "Storehouse")
            json.member(
                "links",
                object: { json in
                    json.member("stores", Route.stores.path)
                    json.member("openapi", Route.openAPI.path)
                    json.member("sessions", Route.sessions.path)
                    json.member("liveness", Route.liveness.path)
                    json.member("readiness", Route.readiness.path)
                    json.member("metrics", Route.metrics.path)
                    if hasInspector { json.member("inspector", Route.index.path) }
                })
        }
        return json.finish()
    }

    private static func stores(_ kinds: [StoreKind]) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 16384)
        json.object { json in
            json.member("stores", kinds)
        }
        return json.finish()
    }
}
