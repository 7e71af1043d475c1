import JSON
import Locks
import Observability
import RemoteServices
import Security
import Sessions
import Synchronization
import Threads

/// Verifies tokens with the keys of the configuration and of a key set, and remembers the valid ones.
final class TokenAuthenticator: Sendable {
    typealias Outcome = Result<TokenClaims, TokenError>

    enum Verification {
        case done(Outcome)
        /// The key has to be fetched first.
        case later(@Sendable () async -> Outcome)
    }

    // Guards the keys of the configuration, and counts how often they were replaced. Taken while remembered tokens are locked.
    private let own: Locked<(verifier: TokenVerifier, version: Int)>
    private let clock: WallClock
    private let source: KeySetSource?
    private let tokens = RememberedTokens()

    /// - Parameter keySet: the client of the service that has the key set; nil if there is none.
    init(_ verifier: TokenVerifier, keySet client: (any RemoteClient)?, clock: WallClock, log: Log) {
        own = Locked((verifier, 0))
        self.clock = clock
        source = client.map { [tokens] client in KeySetSource(client, clock: clock, log: log, tokens) }
    }

    /// Uses other keys of the configuration from now on, and forgets the tokens that were verified with the old ones.
    func replace(_ verifier: TokenVerifier) {
        tokens.forget { own.withLock { $0 = (verifier, $0.version + 1) } }
    }

    /// The claims of a token that was verified before and is still valid; nil for any other.
    func remembered(_ token: String) -> TokenClaims? {
        guard let digest = Self.digest(of: token) else { return nil }
        // Remembered tokens use the set too: a key that the service has withdrawn must be forgotten.
        source?.refreshIfOld()
        return tokens.withShard(of: digest) { $0.claims(of: digest, now: clock.now()) }
    }

    private static func digest(of token: String) -> TokenDigest? {
        var token = token
        return token.withUTF8 { $0.count <= JSONWebToken.maxBytes ? TokenDigest($0) : nil }
    }

    /// Verifies a token that is not remembered: at once, unless its key has to be fetched.
    func authenticate(_ token: String) -> Verification {
        guard let digest = Self.digest(of: token) else { return .done(.failure(.malformed)) }
        let parsed: JSONWebToken
        do throws(TokenError) {
            parsed = try JSONWebToken(Array(token.utf8))
        } catch {
            return .done(.failure(error))
        }
        let verify: @Sendable (KeySetSource.Current?) -> Outcome = { [own, clock, source, tokens] current in
            let (verifier, version) = own.withLock { $0 }
            let outcome = Result { () throws(TokenError) in
                try verifier.verify(parsed, with: current?.set, now: clock.now())
            }
            guard case .success(let claims) = outcome else { return outcome }
            tokens.withShard(of: digest) { cache in
                // A newer set empties the cache, and may not have the key any more.
                let isCurrent = source?.version == current?.version && own.withLock(\.version) == version
                if isCurrent { cache.insert(claims, for: digest) }
            }
            return outcome
        }
        guard let source else { return .done(verify(nil)) }
        while true {
            let current = source.current
            let outcome = verify(current)
            guard case .failure(.unknownKey) = outcome else { return .done(outcome) }
            switch source.fetch(after: current.version) {
            case .retry: continue
            case .refuse: return .done(outcome)
            case .wait(let end):
                return .later {
                    await end.value()
                    return verify(source.current)
                }
            }
        }
    }
}

/// The tokens that were verified, in shards.
final class RememberedTokens: Sendable {
    private static let shardCapacity = 1024

    // Each guards some of the tokens. Several are taken in their order. The locks of the keys may be taken while they are held, never
    // the other way round.
    private let shards = (0..<16).map { _ in Locked(TokenCache(capacity: RememberedTokens.shardCapacity)) }

    func withShard<Result: Sendable>(of digest: TokenDigest, _ body: (inout TokenCache) -> Result) -> Result {
        shards[digest.bucket(of: shards.count)].withLock { body(&$0) }
    }

    /// Forgets all tokens while the keys change: as soon as a token of a new key is accepted, none of an old key is.
    func forget<Result: Sendable>(while change: () -> Result) -> Result { forget(shards[...], change) }

    private func forget<Result: Sendable>(_ shards: ArraySlice<Locked<TokenCache>>, _ change: () -> Result) -> Result {
        guard let first = shards.first else { return change() }
        return first.withLock { tokens in
            tokens.removeAll()
            return forget(shards.dropFirst(), change)
        }
    }
}

/// A key set that a service publishes.
final class KeySetSource: Sendable {
    /// A set and its version; the set is nil until one is fetched.
    typealias Current = (set: KeySet?, version: Int)

    private struct Contents {
        var cache = KeySetCache()
        /// Is fulfilled when the fetch under way has ended; nil if no token waits for it.
        var end: Promise<Void>?
        var isFailing = false
        /// How many keys of the newest set are too many.
        var excessCount = 0
    }

    private let client: any RemoteClient
    private let clock: WallClock
    private let log: Log
    private let tokens: RememberedTokens
    // Guards the set and the tokens that wait for a new one. Nothing is called while it is held.
    private let contents = Locked(Contents())
    /// When a remembered token looks next whether the set is old, so that not every request takes the lock.
    private let nextLook = Atomic(0)
    private static let lookInterval = 1000

    /// - Parameter tokens: are forgotten with each new set.
    init(_ client: any RemoteClient, clock: WallClock, log: Log, _ tokens: RememberedTokens) {
        self.client = client
        self.clock = clock
        self.log = log
        self.tokens = tokens
    }

    /// The newest set. It is fetched again in the background if it is old.
    var current: Current {
        let now = clock.steady()
        let (current, isOld) = contents.withLock { contents in
            ((contents.cache.set, contents.cache.version), contents.cache.used(now: now))
        }
        if isOld { fetch() }
        return current
    }

    /// Fetches the set again in the background if it is old.
    func refreshIfOld() {
        let now = clock.steady()
        guard now >= nextLook.load(ordering: .relaxed) else { return }
        nextLook.store(now + Self.lookInterval, ordering: .relaxed)
        _ = current
    }

    /// The version of the newest set.
    var version: Int { contents.withLock(\.cache.version) }

    /// The next step if a key is not in the set.
    enum Miss {
        /// Look into the newest set, which is another one.
        case retry
        /// Look again once the set is fetched.
        case wait(Promise<Void>)
        /// The set was fetched a short time ago.
        case refuse
    }

    /// Fetches a new set for a key that is not in the one of that version, unless that was done a short time ago.
    func fetch(after version: Int) -> Miss {
        let now = clock.steady()
        let end = Promise<Void>()
        let (decision, known) = contents.withLock { contents in
            let decision = contents.cache.missed(in: version, now: now)
            if decision == .fetch || decision == .wait { contents.end = contents.end ?? end }
            return (decision, contents.end)
        }
        switch decision {
        case .retry: return .retry
        case .refuse: return .refuse
        case .wait: return .wait(known ?? end)
        case .fetch:
            fetch()
            return .wait(known ?? end)
        }
    }

    private func fetch() {
        Task { [self] in
            do throws(RemoteFailure) {
                let set = try await client.call(.get()) { response throws(RemoteFailure) in
                    guard let set = KeySet(try response.anyJSON()) else {
                        throw RemoteFailure(.badBody, "the answer is not a JSON Web Key Set")
                    }
                    return set
                }
                finish(set, nil)
            } catch {
                finish(nil, error)
            }
        }
    }

    private func logExcess(of set: KeySet) {
        log.warning(
            "the key set has too many keys; tokens of the last ones are refused",
            [.init("keys", set.keys.count + set.excessCount), .init("used", set.keys.count)])
    }

    private func update(
        _ set: KeySet?, _ failure: RemoteFailure?
    ) -> (end: Promise<Void>?, hasChanged: Bool, hasOtherExcess: Bool) {
        let now = clock.steady()
        return contents.withLock { contents in
            contents.cache.fetched(set, now: now)
            let hasChanged = contents.isFailing != (failure != nil)
            contents.isFailing = failure != nil
            let excessCount = set?.excessCount ?? contents.excessCount
            let hasOtherExcess = contents.excessCount != excessCount
            contents.excessCount = excessCount
            return (contents.end.take(), hasChanged, hasOtherExcess)
        }
    }

    private func finish(_ set: KeySet?, _ failure: RemoteFailure?) {
        let (end, hasChanged, hasOtherExcess) =
            set == nil ? update(nil, failure) : tokens.forget { update(set, failure) }
        if let set {
            log.debug("key set fetched", [.init("keys", set.keys.count)])
            if hasOtherExcess, set.excessCount > 0 { logExcess(of: set) }
        }
        if hasChanged {
            if let failure {
                log.warning(
                    "the key set cannot be fetched; known keys stay valid",
                    [.init("code", failure.code.rawValue), .init("detail", failure.message)])
            } else {
                log.info("the key set can be fetched again")
            }
        }
        end?.fulfill(())
    }
}

extension RemoteResponse {
    /// The body as JSON, whatever its type says: key sets come as `application/jwk-set+json`, and as plain text too.
    fileprivate func anyJSON() throws(RemoteFailure) -> JSONValue {
        try requireSuccess()
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: body)
        } catch {
            throw RemoteFailure(.badBody, "the answer is not JSON")
        }
    }
}
