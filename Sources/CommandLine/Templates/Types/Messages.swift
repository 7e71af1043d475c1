/// The answer to an action.
///
/// `Value` is the state, or what `select` has selected of it.
public struct Answer<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    public enum Outcome: String, Codable, Hashable, Sendable {
        case committed, ignored
    }

    /// 0 for the initial state; each committed action adds one.
    public var revision: Int
    public var outcome: Outcome
    public var state: Value
    /// The effects that the action started; absent in a shared session.
    public var effects: [String]?
    /// With `Prefer: wait=N`: whether all effects have ended, or the time was over before.
    public var settled: Bool?
    /// With `dryRun=true`: what the action would change.
    public var patch: [PatchOperation]?
}

/// Why a request is refused (RFC 9457).
public struct Problem: Codable, Hashable, Sendable, Swift.Error {
    /// A place in the body of a request that is wrong.
    public struct Violation: Codable, Hashable, Sendable {
        /// A JSON Pointer.
        public var pointer: String
        public var detail: String
    }

    public var title: String
    public var status: Int
    /// What is wrong and what to do about it, for people.
    public var detail: String
    /// A newer server can have other codes.
    public var code: String
    /// The value of X-Request-Id, which is in the log too.
    public var requestId: String?
    /// action-rejected: the reducer's reason.
    public var reason: String?
    /// action-rejected: the revision at which it was decided. revision-mismatch: the current one.
    public var revision: Int?
    /// The index of the refused action in its batch, from 0.
    public var index: Int?
    /// invalid-payload: all violations of the schema.
    public var errors: [Violation]?
    /// unknown-action: the most similar types.
    public var nearest: [String]?

    /// Nil for a code that these types do not know.
    public var knownCode: ProblemCode? { ProblemCode(rawValue: code) }
}

/// The names of the events of a stream. A newer server can have others.
public enum EventName: String, Codable, Hashable, Sendable, CaseIterable {
    case state, patch, effect, action, presence, signal, ready, heartbeat, closed
}

/// The data of `state` events.
///
/// `Value` is the state, or what `select` has selected of it.
public struct StateEvent<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    public var revision: Int
    public var state: Value
    /// How many events were skipped because the client reads too slowly.
    public var skipped: Int?
}

/// The data of `patch` events.
public struct PatchEvent: Codable, Hashable, Sendable {
    public var revision: Int
    public var patch: [PatchOperation]
}

/// An operation of a JSON Patch (RFC 6902): `add`, `remove`, `replace` or `move`.
public struct PatchOperation: Codable, Hashable, Sendable {
    public var op: String
    /// A JSON Pointer.
    public var path: String
    /// Where `move` takes the value from.
    public var from: String?
    /// Nil for `remove` and `move`.
    public var value: JSON?

    private enum CodingKeys: String, CodingKey {
        case op, path, from, value
    }

    public init(from decoder: any Decoder) throws {
        let operation = try decoder.container(keyedBy: CodingKeys.self)
        op = try operation.decode(String.self, forKey: .op)
        path = try operation.decode(String.self, forKey: .path)
        from = try operation.decodeIfPresent(String.self, forKey: .from)
        // A value may be null.
        value = operation.contains(.value) ? try operation.decode(JSON.self, forKey: .value) : nil
    }
}

/// The data of `effect` events.
public struct EffectEvent: Codable, Hashable, Sendable {
    public var effect: String
    /// Such as `started`, `retrying`, `succeeded`, `failed` or `cancelled`.
    public var phase: String
    /// The revision whose action started it.
    public var cause: Int
    /// The number of the attempt that begins.
    public var attempt: Int?
    /// Why it is retried, or has failed.
    public var code: String?
    /// In milliseconds, if it has ended.
    public var duration: Int?
}

/// The data of `ready` events: the client is up to date.
public struct ReadyEvent: Codable, Hashable, Sendable {
    public var revision: Int
    /// It changes when revisions were lost.
    public var history: String
    /// The longest silence of the stream in seconds.
    public var heartbeat: Double
    /// The longest body of a request in bytes.
    public var maxBody: Int
    public var store: String
    public var version: String
}

/// The data of `closed` events, the last ones.
public struct ClosedEvent: Codable, Hashable, Sendable {
    /// Such as `session-ended`, `rotated`, `expired` or `revoked`.
    public var reason: String
}
