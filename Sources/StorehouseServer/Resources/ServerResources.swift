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
    /// Nil if it is switched off.
    private let client: ClientModule?

    init(_ kinds: [StoreKind], _ features: ServerFeatures, _ availability: Availability) {
        documents = CachedDocuments(kinds, features)
        client = features.hasClient ? ClientModule(basePath: features.basePath) : nil
        hasInspector = features.hasInspector
        self.availability = availability
    }

    func readStores(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        context.answer(try documents.stores.response(to: context.head))
    }

    func readStore(_ kind: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        context.answer(try documents.store(kind.decoded).response(to: context.head))
    }

    func readOpenAPI(_ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        context.answer(.document(documents.openAPI))
    }

    func readClient(_ name: PathSegment, _ context: RequestContext) throws(Problem) {
        guard let client else { throw Problem(.path(.unknown)) }
        context.answer(try client.response(at: name, to: context.head))
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
    private let storesDocument: LazyDocument<ConstantDocument>
    private let storeDocuments: [(kind: String, document: LazyDocument<ConstantDocument>)]
    private let openAPIDocument: LazyDocument<[UInt8]>

    init(_ kinds: [StoreKind], _ features: ServerFeatures) {
        index = Self.index(features)
        storesDocument = LazyDocument { ConstantDocument(Self.stores(kinds)) }
        storeDocuments = kinds.map { kind in (kind.name, LazyDocument { ConstantDocument(Self.store(kind)) }) }
        let description = OpenAPI(kinds: kinds, features: features)
        openAPIDocument = LazyDocument {
            var json = JSONWriter(reservingCapacity: 131_072)
            json.value(description.document)
            return json.finishLine()
        }
    }

    var stores: ConstantDocument { storesDocument.value }

    /// - Parameter kind: the name of a kind, compared by its bytes.
    func store(_ kind: ArraySlice<UInt8>) throws(Problem) -> ConstantDocument {
        guard let known = storeDocuments.first(where: { $0.kind.utf8.elementsEqual(kind) }) else {
            throw Problem(.absent(.store(known: storeDocuments.map(\.kind))))
        }
        return known.document.value
    }

    var openAPI: [UInt8] { openAPIDocument.value }

    private static func index(_ features: ServerFeatures) -> [UInt8] {
        let basePath = features.basePath
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
                    if !features.hasOperatorPort { json.member("metrics", basePath + Route.metrics.path) }
                    if features.hasClient { json.member("client", basePath + Route.client.path) }
                    if features.hasInspector { json.member("inspector", basePath + Route.index.path) }
                })
        }
        return json.finishLine()
    }

    private static func store(_ kind: StoreKind) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 4096)
        kind.encode(into: &json)
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
private struct LazyDocument<Document: Sendable>: Sendable {
    private let make: @Sendable () -> Document
    // Guards the document. No other lock is taken while this one is held.
    private let made: Locked<Document?> = Locked(nil)

    init(_ make: @escaping @Sendable () -> Document) { self.make = make }

    var value: Document {
        made.withLock { made in
            let document = made ?? make()
            made = document
            return document
        }
    }
}
