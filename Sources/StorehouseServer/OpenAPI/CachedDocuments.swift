import JSON
import Locks
import StoreHosting
import Stores

/// The documents that are constant while the server runs, each encoded once.
struct CachedDocuments: Sendable {
    let index: [UInt8]
    let stores: [UInt8]
    private let description: OpenAPI
    // Guards the encoded description. It is made for the first request, because it takes longer than the rest of the
    // start. No other lock is taken while this one is held.
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
