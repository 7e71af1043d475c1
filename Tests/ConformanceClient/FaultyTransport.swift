import JSON
import Locks
import StorehouseClient

/// A transport that changes what passes, as the planted fault says.
struct FaultyTransport: ClientTransport {
    let inner: any ClientTransport
    private let hasFailed = Locked(false)
    private let firstToken = Locked<String?>(nil)

    init(_ inner: any ClientTransport) { self.inner = inner }

    nonisolated(nonsending) func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        let isRetry = hasFailed.withLock { $0 }
        let changed = changed(request, isRetry: isRetry)
        if Fault.givesUp.isPlanted, isRetry { throw TransportFailure("it is tired") }
        if Fault.twoAtOnce.isPlanted { Task { try? await inner.send(changed) } }
        do {
            return self.changed(try await inner.send(changed))
        } catch {
            hasFailed.withLock { $0 = true }
            throw error
        }
    }

    func open(_ request: ClientRequest, hear: @escaping @MainActor @Sendable (StreamPart) -> Void) -> any OpenStream {
        inner.open(changed(request, isRetry: false)) { part in
            for part in changed(part) { hear(part) }
        }
    }

    private func changed(_ request: ClientRequest, isRetry: Bool) -> ClientRequest {
        var request = request
        if Fault.neverResumes.isPlanted { request.headers["last-event-id"] = nil }
        if Fault.keepsToken.isPlanted, let token = request.headers["authorization"] {
            request.headers["authorization"] = firstToken.withLock { first in
                first = first ?? token
                return first
            }
        }
        let body = request.body.map { String(decoding: $0, as: UTF8.self) }
        guard let body, var json = (try? JSONValue(parsing: body))?.asObject else { return request }
        if isRetry, Fault.newClientOnRetry.isPlanted { json["client"] = .string(ClientEnvironment.randomID()) }
        if isRetry, Fault.renumbers.isPlanted { json["from"] = (json["from"]?.asInteger).map { .integer($0 + 1) } }
        if let entries = json["entries"]?.asArray { json["entries"] = .array(changed(entries)) }
        request.body = JSONValue.object(json).encoded()
        return request
    }

    private func changed(_ entries: [JSONValue]) -> [JSONValue] {
        var entries = entries.map { entry in
            guard var json = entry.asObject else { return entry }
            if Fault.halfEntry.isPlanted { json["actions"] = .array(Array(json["actions"]?.asArray?.prefix(1) ?? [])) }
            if Fault.forgetsIfMatch.isPlanted { json["ifMatch"] = nil }
            return .object(json)
        }
        if Fault.lastFirst.isPlanted { entries.reverse() }
        return entries
    }

    private func changed(_ response: ClientResponse) -> ClientResponse {
        guard Fault.believesCommitted.isPlanted else { return response }
        var response = response
        response.body = response.body.replacing("\"rejected\"".utf8, with: "\"committed\"".utf8)
        return response
    }

    // ---- Parts of a stream

    private func changed(_ part: StreamPart) -> [StreamPart] {
        switch part {
        case .head(let status, var headers):
            if Fault.ignoresRetryAfter.isPlanted { headers["retry-after"] = nil }
            let ready = #"event: ready\#ndata: {"revision":0,"history":"none","heartbeat":15}\#n\#n"#
            let first: [StreamPart] = Fault.liveTooEarly.isPlanted && status == 200 ? [.bytes(Array(ready.utf8))] : []
            return [.head(status: status, headers: headers)] + first
        case .bytes(let bytes): return [.bytes(changed(bytes))]
        case .end: return [part]
        }
    }

    private func changed(_ bytes: [UInt8]) -> [UInt8] {
        switch Fault.planted {
        case .ignoresThrough: return bytes.replacing("\"through\"".utf8, with: "\"nothing\"".utf8)
        case .neverEnds: return bytes.replacing("session-ended".utf8, with: "draining".utf8)
        case .decodesEachPiece: return Array(String(decoding: bytes, as: UTF8.self).utf8)
        case .onlyLineFeeds: return bytes.map { $0 == 13 ? 32 : $0 }
        case .deafToSilence: return bytes.replacing("\"heartbeat\":15".utf8, with: "\"heartbeat\":95".utf8)
        case .missesPatches: return bytes.contains("event: patch".utf8) ? [] : bytes
        default: return bytes
        }
    }
}
