import JSON
import RemoteServices
import Stores

/// A ``Fetch`` as it is declared.
struct FetchPlan<State: Sendable, Values: Sendable, Output: Codable & Sendable>: Sendable {
    let name: String
    let trigger: Action<State, Values>
    let service: RemoteService
    let retry: StoreDefinition<State>.Retry?
    let request: @Sendable (State, Values) -> RemoteRequest?
    let then: @Sendable (inout State, Values, Output, Int) -> Void
    let failed: @Sendable (inout State, Values, RemoteFailure, Int) -> Void
    let waiting: @Sendable (State) -> [Values]
    /// Whether the state hears of failures, and of a call that a restart has ended it hears nothing.
    let isSilent: Bool
    /// Whether its declaration says that the answer is left out of the log.
    var isDeclaredSecret = false
    private let pointer: String
    private let ownPolicy: EffectPolicy?
    private let id: (@Sendable (Values) -> String)?

    init(
        _ name: String, _ trigger: Action<State, Values>, _ service: RemoteService, _ pointer: String,
        _ policy: EffectPolicy?, _ retry: StoreDefinition<State>.Retry?, id: (@Sendable (Values) -> String)?,
        request: @escaping @Sendable (State, Values) -> RemoteRequest?,
        then: @escaping @Sendable (inout State, Values, Output, Int) -> Void,
        failed: @escaping @Sendable (inout State, Values, RemoteFailure, Int) -> Void,
        waiting: @escaping @Sendable (State) -> [Values], isSilent: Bool
    ) {
        self.name = name
        self.trigger = trigger
        self.service = service
        self.pointer = pointer
        ownPolicy = policy
        self.retry = retry
        self.id = id
        self.request = request
        self.then = then
        self.failed = failed
        self.waiting = waiting
        self.isSilent = isSilent && retry == nil
    }

    /// Whether the answer is left out of the log. A service may repeat a secret that it was sent.
    var isSecret: Bool { isDeclaredSecret || !trigger.fields.secrets.isEmpty }

    var policy: EffectPolicy { ownPolicy ?? (retry == nil ? .latest : .leading) }

    /// The text of the id of a call's effect.
    func effectID(_ values: Values) -> String { EffectID(name, for: id?(values)).description }

    /// The id of a call's effect, of its text.
    func effect(_ text: String) -> EffectID {
        EffectID(
            name,
            for: text.utf8.count == name.utf8.count
                ? nil : String(decoding: text.utf8.dropFirst(name.utf8.count + 1), as: UTF8.self))
    }

    /// The errors in the declaration, one sentence each.
    var problems: [String] {
        var problems: [String] = []
        if (try? JSONPointer(pointer)) == nil {
            problems.append("The pointer \"\(pointer)\" of the fetch \"\(name)\" must be empty or begin with '/'.")
        }
        guard let retry else { return problems }
        problems += retry.problems.map { "The fetch \"\(name)\" \($0)." }
        if ![.latest, .leading].contains(policy) {
            problems.append("The fetch \"\(name)\" is repeated, so its policy must be latest or leading.")
        }
        if !trigger.fields.secrets.isEmpty {
            problems.append(
                "The fetch \"\(name)\" is repeated, so its request is stored, but the action \"\(trigger.name)\" has a secret "
                    + "field.")
        }
        return problems
    }

    /// The value in an answer.
    func read(_ response: RemoteResponse) throws(RemoteFailure) -> Output {
        if let status = RemoteResponse.Status(code: response.status) as? Output {
            try response.requireSuccess()
            return status
        }
        return try response.value(at: (try? JSONPointer(pointer)) ?? .root)
    }
}

extension RemoteResponse {
    /// A value in the JSON body.
    fileprivate func value<Value: Decodable>(at pointer: JSONPointer) throws(RemoteFailure) -> Value {
        guard let value = pointer.value(in: try json()) else {
            throw RemoteFailure(.badBody, "the answer has nothing at \(pointer)")
        }
        do throws(JSONDecodingError) {
            return try value.decode()
        } catch {
            throw RemoteFailure(.badBody, "the answer at \(pointer): \(error)")
        }
    }
}
