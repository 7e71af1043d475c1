import JSON
import RemoteServices

/// The calls of a state that wait for an answer: see ``StoreDefinition/Retry``.
///
///     var calls = PendingCalls()
///
///     Member("calls", \.calls)
///
/// Clients do not see the member. It is persisted in clear, so a request must have no secret: put credentials into the configuration of the
/// service.
public struct PendingCalls: Sendable, Codable {
    struct Entry: Sendable, Codable {
        /// The name of the effect.
        let effect: String
        let fetch: String
        /// The values of the action that has caused it, as JSON.
        private let values: String
        private let kept: KeptRequest
        private var keyText: String?
        private var since: Int?
        /// How many tries have begun.
        private(set) var tries = 0
        /// When the next try is due, in milliseconds since 1970.
        private(set) var due: Int?
        /// Whether no try is under way.
        private(set) var isWaiting = false
        /// Whether an earlier try was under way when its process ended, so that the service may have acted.
        private(set) var isUncertain: Bool?
        /// Whether the newest try is the first, and nobody has asked for it again.
        private(set) var isFirst: Bool?

        init(effect: String, fetch: String, values: JSONObject, request: RemoteRequest) {
            self.effect = effect
            self.fetch = fetch
            self.values = JSONValue.object(values).description
            kept = KeptRequest(request)
        }

        var request: RemoteRequest { kept.request }

        /// The key, and the revision of which it is made; nil before the first try.
        var key: (text: String, since: Int)? {
            guard let keyText, let since else { return nil }
            return (keyText, since)
        }

        /// Whether it is a call of this effect. Its name may contain a text of a user, so the bytes count.
        func isOf(_ effect: String) -> Bool { self.effect.utf8.elementsEqual(effect.utf8) }

        var payload: JSONObject { (try? JSONValue(parsing: Array(values.utf8)))?.asObject ?? [:] }

        /// Whether a try may begin now. A timer and a restart may both ask for it.
        ///
        /// A timer asks for the newest try again, which has no effect if that is still under way.
        func mayBegin(_ number: Int, with key: String) -> Bool {
            keyText ?? key == key && (number == tries + 1 || number == tries && !isWaiting)
        }

        /// Whether it belongs to a store of another name, whose state was copied.
        func isOfAnother(_ identity: String?) -> Bool {
            guard let identity, let key else { return false }
            return RequestKey.make(identity, effect, key.since, salt: RequestKey.salt(of: key.text)) != key.text
        }

        mutating func begin(_ number: Int, with key: String, since revision: Int, at time: Int) {
            if number > tries, tries > 0, !isWaiting { isUncertain = true }
            isFirst = keyText == nil
            keyText = key
            since = revision
            tries = number
            isWaiting = false
            // If the process ends, and nobody asks for the session, the timer has the next process continue with it.
            due = time + max(60_000, kept.timeout ?? 0)
        }

        /// Notes the store that has begun it, unless its key says so already.
        mutating func claim(by identity: String) {
            guard key == nil else { return }
            since = 1
            keyText = RequestKey.make(identity, effect, 1, salt: RequestKey.salt())
        }

        mutating func wait(until time: Int) {
            due = time
            isWaiting = true
        }
    }

    private var calls: [Entry] = []

    /// No calls.
    public init() {}

    /// Whether a member of a private state has such calls.
    static func areSome(_ json: JSONValue) -> Bool {
        guard let members = json.asObject, members.count == 1, let calls = members["calls"]?.asArray else {
            return false
        }
        return !calls.isEmpty && calls.allSatisfy { (try? $0.decode(Entry.self)) != nil }
    }

    /// A private state in which each call says that a store has begun it, so that a store of another name does not make the call too.
    ///
    /// - Parameter identity: the name of the store from which the state is copied.
    package static func claimed(_ privateState: [UInt8], by identity: String) -> [UInt8] {
        guard let state = try? JSONValue(parsing: privateState, maximumDepth: JSONValue.maxDepth),
            let claimed = claimed(state, by: identity)
        else { return privateState }
        return claimed.encoded()
    }

    /// - Returns: nil if the state has no calls.
    private static func claimed(_ state: JSONValue, by identity: String) -> JSONValue? {
        if areSome(state), var pending = try? state.decode(PendingCalls.self) {
            for place in pending.calls.indices { pending.calls[place].claim(by: identity) }
            return try? JSONValue(encoding: pending)
        }
        guard case .object(var members) = state else { return nil }
        var isChanged = false
        for (name, value) in members {
            guard let member = claimed(value, by: identity) else { continue }
            members[name] = member
            isChanged = true
        }
        return isChanged ? .object(members) : nil
    }

    /// Whether no call waits for an answer.
    public var isEmpty: Bool { calls.isEmpty }

    subscript(effect: String) -> Entry? {
        get { calls.first { $0.isOf(effect) } }
        set {
            calls.removeAll { $0.isOf(effect) }
            if let newValue { calls.append(newValue) }
        }
    }

    mutating func update(_ effect: String, _ change: (inout Entry) -> Void) {
        if let place = calls.firstIndex(where: { $0.isOf(effect) }) { change(&calls[place]) }
    }

    func allSatisfy(_ condition: (Entry) -> Bool) -> Bool { calls.allSatisfy(condition) }

    /// The calls of a fetch.
    func of(_ fetch: String) -> [Entry] { calls.filter { $0.fetch == fetch } }
}

extension PendingCalls: Equatable {
    /// True: what the program notes for itself tells no states apart, so that a test need not assert it.
    public static func == (left: PendingCalls, right: PendingCalls) -> Bool { true }
}

/// A request as a state keeps it, so that each try sends the same.
private struct KeptRequest: Sendable, Codable {
    private let method: String
    private let target: String?
    private let headers: [[String]]
    /// In base64.
    private let body: String
    private let contentType: String?
    /// In milliseconds.
    let timeout: Int?
    private let isIdempotent: Bool?

    init(_ request: RemoteRequest) {
        method = request.method
        target = request.target
        headers = request.headers.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
        body = Base64.encode(request.body)
        contentType = request.contentType
        timeout = request.timeout.map { Int($0 / .milliseconds(1)) }
        isIdempotent = request.isIdempotent
    }

    var request: RemoteRequest {
        RemoteRequest(
            method: method, target: target,
            headers: Dictionary(headers.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 }),
            body: Base64.decode(body) ?? [],
            contentType: contentType, timeout: timeout.map { .milliseconds($0) }, isIdempotent: isIdempotent)
    }
}
