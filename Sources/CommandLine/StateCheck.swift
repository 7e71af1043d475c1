import JSON
import Journal
import Observability
import ServerWiring
import StoreHosting
import StorehouseServer

/// Reads stored states with the definitions of the kinds that a program hosts.
final class StateCheck {
    /// How many sessions of each kind `verify` reads so.
    static let sampleSize = 100

    private let kinds: [StoreKind]
    private let sealer: (any SecretSealer)?
    private let limit: Int
    private var counts: [String: Int] = [:]

    /// How many sessions belong to kinds that the program does not host.
    private(set) var otherStores = 0

    /// - Parameters:
    ///   - sealer: opens the secrets; nil leaves them out.
    ///   - limit: how many sessions of each kind are read.
    init(_ kinds: [StoreKind], _ sealer: (any SecretSealer)?, limit: Int = .max) {
        self.kinds = kinds
        self.sealer = sealer
        self.limit = limit
    }

    /// Why the program cannot continue from a state; nil if it can, if it does not host the kind, or if the sample is complete.
    func misfit(_ state: StoredState) -> String? {
        guard let kind = kinds.first(where: { $0.name == state.header.kind }) else {
            otherStores += 1
            return nil
        }
        guard counts[kind.name, default: 0] < limit else { return nil }
        counts[kind.name, default: 0] += 1
        return state.misfit(kind, sealer).map { "the store '\(kind.name)' cannot read it: \($0.detail)" }
    }
}

extension CommandRunner {
    /// Reads the newest state of every session, and reports those that do not fit.
    ///
    /// - Parameters:
    ///   - storage: the name of the storage in messages.
    ///   - forEachState: calls its argument with the state of each session, or with what is wrong with it.
    /// - Returns: the exit code.
    func checkStates(
        of storage: String, _ sealer: (any SecretSealer)?, _ progress: ProgressLine, inJSON: Bool,
        _ forEachState: ((_ id: String, Result<StoredState, JournalError>) -> Void) throws -> Void
    ) throws -> Int32 {
        let check = StateCheck(kinds, sealer)
        var count = 0
        var misfits: [String] = []
        try forEachState { id, found in
            count += 1
            let detail: String? =
                switch found {
                case .success(let state): check.misfit(state)
                case .failure(let error): "it is damaged: \(error.detail)"
                }
            guard let detail else { return }
            misfits.append("session \(id): \(detail)")
            guard !inJSON else { return }
            progress.hide()
            Console.printError("\(storage): session \(id): \(detail)")
        }
        progress.hide()
        if inJSON {
            let result: JSONValue = [
                "fit": .bool(misfits.isEmpty), "sessions": .integer(count), "otherStores": .integer(check.otherStores),
                "problems": .array(misfits.map(JSONValue.string)),
            ]
            Console.print(result.description)
        } else {
            if check.otherStores > 0 {
                Console.printError(
                    "\(storage): \(check.otherStores) sessions have stores that this program does not host")
            }
            let own = count - check.otherStores
            let sessions = own == 1 ? "session" : "sessions"
            if misfits.isEmpty {
                Console.print("\(storage): this program can load \(own) of \(own) \(sessions)")
            } else {
                Console.printError("\(storage): this program cannot load \(misfits.count) of \(own) \(sessions)")
            }
        }
        return misfits.isEmpty ? 0 : 1
    }

    /// The key of the configuration, if there is one. Without it secrets are not read.
    func configuredSealer() throws -> (any SecretSealer)? {
        try configuration(file: nil, needsUpstreams: false).server.storage.sealer()
    }
}
