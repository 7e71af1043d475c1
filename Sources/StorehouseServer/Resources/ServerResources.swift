import HTTP
import JSON
import Locks
import Sessions
import StoreHosting
import Stores

/// Describes the server: its links, its stores, its OpenAPI document, and whether it serves.
final class ServerResources: Sendable {
    private let documents: CachedDocuments
    private let availability: Availability
    private let hasInspector: Bool

    init(_ documents: CachedDocuments, _ availability: Availability, hasInspector: Bool) {
        self.documents = documents
        self.availability = availability
        self.hasInspector = hasInspector
    }

    func readStores(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        context.answer(.document(documents.stores))
    }

    func readOpenAPI(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        context.answer(.document(documents.openAPI))
    }

    func readLiveness(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        context.answer(Self.alive)
    }

    func readReadiness(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try Problem.of(availability.requireReady)
        context.answer(Self.ready)
    }

    /// Answers at `/` with the inspector page to clients that prefer HTML, as browsers do, and with the links to all others.
    ///
    /// If the page is switched off, all get the links.
    func readIndex(_ context: RequestContext) throws(Problem) {
        let accept = AcceptHeader(context.head.fields.values("accept"))
        // Of equally preferred types the first is chosen: `*/*` gets the links.
        guard let accepted = accept.preferred(of: Self.indexTypes) else {
            throw Problem(.header(.accept(.jsonAndHTML)))
        }
        guard hasInspector else { return context.answer(.document(documents.index)) }
        var response = accepted.type == "text" ? InspectorPage.response() : .document(documents.index)
        response.fields.append(.init("Vary", "Accept"))
        context.answer(response)
    }

    private static let alive = status("alive")
    private static let ready = status("ready")

    /// A status is true at this moment only.
    private static func status(_ word: String) -> Response {
        .document(Array("{\"status\":\"\(word)\"}\n".utf8), fields: [.init("Cache-Control", "no-store")])
    }

    private static let indexTypes = ["application/json; charset=utf-8", "text/html; charset=utf-8"].compactMap(
        MediaType.init)
}

/// The documents that are constant while the server runs, each encoded once.
struct CachedDocuments: Sendable {
    let index: [UInt8]
    // These take longer than the rest of the start, and much memory, so they are made for their first requests.
    private let storesDocument: LazyDocument
    private let openAPIDocument: LazyDocument

    init(
        _ kinds: [StoreKind], defaultStore: String, basePath: String, hasInspector: Bool, hasOperatorPort: Bool,
        usesTokens: Bool
    ) {
        index = Self.index(basePath, hasInspector: hasInspector, hasOperatorPort: hasOperatorPort)
        storesDocument = LazyDocument { Self.stores(kinds) }
        let description = OpenAPI(
            kinds: kinds, defaultStore: defaultStore, basePath: basePath, hasInspector: hasInspector,
            hasOperatorPort: hasOperatorPort, usesTokens: usesTokens)
        openAPIDocument = LazyDocument {
            var json = JSONWriter(reservingCapacity: 131_072)
            json.value(description.document)
            return json.finishLine()
        }
    }

    var stores: [UInt8] { storesDocument.bytes }

    var openAPI: [UInt8] { openAPIDocument.bytes }

    private static func index(_ basePath: String, hasInspector: Bool, hasOperatorPort: Bool) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("name", "Storehouse")
            json.member(
                "links",
                object: { json in
                    json.member("stores", basePath + Route.stores.path)
                    json.member("openapi", basePath + Route.openAPI.path)
                    json.member("sessions", basePath + Route.sessions.path)
                    json.member("liveness", basePath + Route.liveness.path)
                    json.member("readiness", basePath + Route.readiness.path)
                    if !hasOperatorPort { json.member("metrics", basePath + Route.metrics.path) }
                    if hasInspector { json.member("inspector", basePath + Route.index.path) }
                })
        }
        return json.finishLine()
    }

    private static func stores(_ kinds: [StoreKind]) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 16384)
        json.object { json in
            json.member("stores", array: { json in for kind in kinds { kind.encode(into: &json) } })
        }
        return json.finishLine()
    }
}

/// A document that is encoded for the first request.
private struct LazyDocument: Sendable {
    private let encode: @Sendable () -> [UInt8]
    // Guards the encoded document. No other lock is taken while this one is held.
    private let encoded: Locked<[UInt8]?> = Locked(nil)

    init(_ encode: @escaping @Sendable () -> [UInt8]) { self.encode = encode }

    var bytes: [UInt8] {
        encoded.withLock { encoded in
            let document = encoded ?? encode()
            encoded = document
            return document
        }
    }
}
