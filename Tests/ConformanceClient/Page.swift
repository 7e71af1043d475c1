import Foundation
import JSON
import Locks
import StorehouseClient
import Stores

/// A store, and what it shows.
@MainActor
final class Page {
    private let clock = VirtualClock()
    private let names = Names()
    private let isDiskFull = Locked(false)
    private let tokens = Tokens()
    private var store: RemoteStore<Shape>?
    private var keyNames: [Int: String] = [:]
    private var shown = ""
    private var connection: JSONValue = .null
    /// The name of the entry that is being sent.
    private var sending: String?
    /// Whether the kit has begun with another page.
    private var isOver = false

    func run(_ command: JSONValue) async {
        let error = await perform(command["do"]?.asString ?? "", command)
        await settle()
        var line: JSONObject = ["done": command["id"] ?? .null]
        if let error { line["error"] = .string(error) }
        tell(.object(line))
    }

    /// Closes the store. Nobody hears of it any more.
    func end() async {
        isOver = true
        clock.end()
        store?.close()
        _ = tokens.answer(nil)
        await settle()
    }

    private func tell(_ line: JSONValue) {
        if !isOver { write(line) }
    }

    /// - Returns: the name of an error.
    private func perform(_ name: String, _ command: JSONValue) async -> String? {
        switch name {
        case "connect": connect(command)
        case "send": return await send([command["action"] ?? .null], command)
        case "sendAll": return await send(command["actions"]?.asArray ?? [], command)
        case "flush": await store?.flush()
        case "setToken": setToken(command["token"]?.asString)
        case "signOut": try? await store?.signOut()
        case "offline": store?.networkChanged(isOnline: false)
        case "online": store?.networkChanged(isOnline: true)
        case "disk": isDiskFull.withLock { $0 = command["isFull"] == true }
        case "advance": await clock.advance(to: command["to"]?.asNumber ?? 0)
        case "sleep": await clock.sleep(to: command["to"]?.asNumber ?? 0)
        case "close": store?.close()
        default: break
        }
        return nil
    }

    // ---- Commands

    private func connect(_ command: JSONValue) {
        let random = Fault.hammers.isPlanted ? [0] : command["random"]?.asArray?.compactMap(\.asNumber) ?? [0.5]
        var turn = 0
        let environment = ClientEnvironment(
            transport: FaultyTransport(CurlTransport()), clock: clock,
            random: {
                defer { turn += 1 }
                return random[turn % random.count]
            })
        let token = command["token"]?.asString
        tokens.token = token
        let ask: @Sendable (TokenReason) async throws -> String? = { [tokens] reason in await tokens.ask(reason) }
        let store = RemoteStore(
            Shape.model(version: Fault.anyVersion.isPlanted ? nil : command["version"]?.asString),
            url: command["url"]?.asString ?? "", environment,
            storage: storage(command["storage"]?.asString),
            token: token == nil ? nil : ask,
            select: command["select"]?.asString,
            create: command["create"] == true ? "app" : command["create"]?.asString,
            unknown: command["unknown"] == "resend" ? .resend : .drop, user: token)
        self.store = store
        store.onChange = { [weak self] in self?.changed() }
        store.onReport = { [weak self] in self?.report($0) }
        store.onLeft = { [weak self] in self?.left($0) }
        tellConnection()
    }

    private func storage(_ path: String?) -> OutboxStorage {
        guard let path else { return .memory }
        names.load(path + ".names")
        return OutboxStorage { [names, isDiskFull] in
            NamedStorage(inner: FileStorage(path), names: names, isFull: isDiskFull)
        }
    }

    private func send(_ bodies: [JSONValue], _ command: JSONValue) async -> String? {
        guard let store else { return nil }
        let name = command["entry"]?.asString ?? ""
        var ifMatch = command["ifMatch"]?.asString
        if ifMatch == "confirmed" { ifMatch = store.etag }
        let actions = bodies.map { store.model.action($0, .anonymous, 0) }
        var json: JSONObject = ["actions": .array(bodies)]
        if let ifMatch { json["ifMatch"] = .string(ifMatch) }
        names.add(name, JSONValue.object(json).encoded())
        sending = name
        let (handle, key) = store.send(actions, ifMatch: ifMatch)
        keyNames[key] = name
        sending = nil
        // Before that, entries wait for a token.
        guard store.isLoaded || store.connection.isEnded else { return nil }
        do {
            try await handle.stored
            return nil
        } catch {
            return "\(type(of: error))"
        }
    }

    private func setToken(_ token: String?) {
        if !tokens.answer(token) { store?.setToken(token) }
    }

    // ---- What the store shows

    private func changed() {
        tellConnection()
        if Fault.showsLate.isPlanted, sending != nil { return }
        show()
    }

    private func tellConnection() {
        guard let connection = store?.connection.json, connection != self.connection else { return }
        self.connection = connection
        tell(["connection": connection])
    }

    private func show() {
        guard let store else { return }
        let pending = store.pending
        let predicted = pending.filter(\.isPredicted)
        let reasons = pending.compactMap { one in one.reason.map { (name(one), JSONValue.string($0)) } }
        let value: JSONValue = [
            "revision": .integer(store.revision), "history": store.history.map(JSONValue.string) ?? .null,
            "confirmed": store.confirmed.json, "shown": store.state.shown(isPredicted: !predicted.isEmpty),
            "pending": .array(pending.map { .string(name($0)) }),
            "predicted": .array(predicted.map { .string(name($0)) }), "reasons": .object(JSONObject(reasons)),
        ]
        if value.description != shown { tell(["value": value]) }
        shown = value.description
    }

    /// An entry is shown before the store tells its key, and one from the disk has a number only.
    private func name(_ entry: PendingAction<Shape>) -> String {
        if let name = keyNames[entry.key] { return name }
        let name = entry.number.flatMap { names.of($0) } ?? sending ?? "?"
        keyNames[entry.key] = name
        return name
    }

    private func left(_ entry: LeftEntry) {
        guard entry.outcome != "lost", let name = keyNames.removeValue(forKey: entry.key) else { return }
        show()
        var outcome: JSONObject = ["entry": .string(name), "outcome": .string(entry.outcome)]
        if let revision = entry.revision { outcome["revision"] = .integer(revision) }
        if let refusal = entry.refusal { outcome["reason"] = .string(refusal.reason) }
        for _ in 0..<(Fault.tellsTwice.isPlanted ? 2 : 1) { tell(["outcome": .object(outcome)]) }
    }

    private func report(_ report: RemoteReport) {
        switch report {
        case .patch: tell(["report": ["kind": "patch"]])
        case .history: tell(["report": ["kind": "history"]])
        case .unknown(let entries):
            let names = entries.map { JSONValue.string(keyNames[$0.key] ?? "?") }
            tell(["report": ["kind": "unknown", "entries": .array(names)]])
        default: break
        }
    }
}

/// The tokens of the app, which the kit gives.
@MainActor
final class Tokens {
    var token: String?
    private var waiting: [CheckedContinuation<String?, Never>] = []

    func ask(_ reason: TokenReason) async -> String? {
        if let token, reason != .unauthorized { return token }
        write(["token": reason == .unauthorized ? "unauthorized" : "first"])
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// - Returns: whether anybody waited for it.
    func answer(_ token: String?) -> Bool {
        self.token = token
        defer { waiting = [] }
        for continuation in waiting { continuation.resume(returning: token) }
        return !waiting.isEmpty
    }
}

extension RemoteConnection {
    var isEnded: Bool { if case .ended = status { true } else { false } }

    fileprivate var json: JSONValue {
        var name: String
        var reason: String?
        switch status {
        case .connecting: name = "connecting"
        case .live: name = "live"
        case .reconnecting: name = "reconnecting"
        case .offline: name = "offline"
        case .unauthorized: name = "unauthorized"
        case .ended(let why): (name, reason) = ("ended", why)
        }
        var json: JSONObject = ["status": .string(name), "isStale": .bool(isStale)]
        if let reason { json["reason"] = .string(reason) }
        return .object(json)
    }
}
