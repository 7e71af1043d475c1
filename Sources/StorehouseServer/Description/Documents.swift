import JSON
import Locks
import Stores

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
