import JSON
import Stores

/// The documents that never change while the server runs, encoded once.
struct Documents: Sendable {
    let index: [UInt8]
    let stores: [UInt8]
    let openAPI: [UInt8]

    init(_ kinds: [StoreKind]) {
        index = Self.index()
        stores = Self.stores(kinds)
        openAPI = OpenAPI.document(kinds)
    }

    private static func index() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("name", "Storehouse")
            json.member(
                "links",
                object: { json in
                    json.member("stores", "/stores")
                    json.member("openapi", "/openapi.json")
                    json.member("sessions", "/sessions")
                    json.member("liveness", "/healthz")
                    json.member("readiness", "/readyz")
                })
        }
        return json.finish()
    }

    private static func stores(_ kinds: [StoreKind]) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 16384)
        json.object { json in
            json.member(
                "stores",
                array: { json in
                    for kind in kinds { json.value(kind) }
                })
        }
        return json.finish()
    }
}
