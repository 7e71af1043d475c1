import JSON
import Sessions
import StoreHosting
import StoresTesting
import Testing

/// The decisions about requests with an Idempotency-Key.
@Suite struct IdempotencyCacheTests {
    private static let lifetime = 600_000

    private func fingerprint(_ body: String, redacted: String? = nil) -> RequestFingerprint {
        RequestFingerprint(Array(body.utf8), .string(body), redacted: .string(redacted ?? body))
    }

    private func record(_ key: String, _ body: String = "body", size: Int = 2, at moment: Int = 0) -> IdempotencyRecord
    {
        IdempotencyRecord(
            key: key, fingerprint: fingerprint(body).persistent, response: [UInt8](repeating: 0, count: size),
            at: moment)
    }

    @Test func theFirstRequestIsNewAndTheNextIsInProgress() {
        var cache = IdempotencyCache()
        #expect(cache.admit("k", fingerprint("body"), now: 0) == .new)
        #expect(cache.isBusy)
        #expect(cache.admit("k", fingerprint("body"), now: 0) == .inProgress)
        #expect(cache.admit("k", fingerprint("other"), now: 0) == .mismatch)
    }

    @Test func aStoredResponseIsReplayed() {
        var cache = IdempotencyCache()
        _ = cache.admit("k", fingerprint("body"), now: 0)
        cache.store(record("k"))
        #expect(!cache.isBusy)
        #expect(cache.admit("k", fingerprint("body"), now: 1) == .replay(record("k")))
        #expect(cache.admit("k", fingerprint("other"), now: 1) == .mismatch)
    }

    /// Earlier releases stored the time of the wall clock, which may be far ahead of the session time.
    @Test func aRestoredRecordFromTheFutureIsAsIfItWasMadeNow() {
        var cache = IdempotencyCache()
        cache.restore([record("k", at: 86_400_000), record("old", at: 5)], now: 10)
        #expect(cache.admit("k", fingerprint("body"), now: Self.lifetime + 10) == .replay(record("k", at: 10)))
        #expect(cache.admit("old", fingerprint("body"), now: Self.lifetime + 10) == .new)
        #expect(cache.admit("k", fingerprint("body"), now: Self.lifetime + 11) == .new)
    }

    @Test func anAbandonedRequestIsNewAgain() {
        var cache = IdempotencyCache()
        _ = cache.admit("k", fingerprint("body"), now: 0)
        cache.abandon("k")
        #expect(!cache.isBusy)
        #expect(cache.admit("k", fingerprint("other"), now: 0) == .new)
        cache.store(record("k"))
        cache.abandon("k")
        #expect(cache.admit("k", fingerprint("other"), now: 0) == .replay(record("k")))
    }

    /// After a restart only the stored fingerprint is known. That of the first releases tells nothing of the secrets.
    @Test(arguments: [\RequestFingerprint.persistent, \.earlier, \.earliest])
    func aRestoredRecordIsComparedByItsStoredFingerprint(_ stored: any KeyPath<RequestFingerprint, UInt64> & Sendable) {
        let first = fingerprint("secret", redacted: "***")
        let record = IdempotencyRecord(
            key: "k", fingerprint: first[keyPath: stored], response: [1], at: 0)
        var cache = IdempotencyCache()
        cache.store(record)
        #expect(cache.admit("k", first, now: 0) == .replay(record))
        #expect(cache.admit("k", fingerprint("other"), now: 0) == .mismatch)
        let another = cache.admit("k", fingerprint("another secret", redacted: "***"), now: 0)
        #expect(another == (stored == \.earliest ? .replay(record) : .mismatch))
    }

    @Test func theStoredFingerprintHasFewBitsOfTheSecret() {
        let stored = Set((0..<70_000).map { fingerprint("secret \($0)", redacted: "***").persistent })
        #expect(stored.count <= 65_536 && stored.count > 20_000)
        #expect(Set(stored.map { $0 >> 16 }).count == 1)
    }

    @Test func aResponseIsForgottenAfterTenMinutes() {
        var cache = IdempotencyCache()
        for (number, key) in ["a", "b", "c"].enumerated() { cache.store(record(key, at: number * 1000)) }
        let now = Self.lifetime + 1500
        for key in ["a", "b"] {
            #expect(cache.admit(key, fingerprint("body"), now: now) == .new)
        }
        #expect(cache.admit("c", fingerprint("body"), now: now) == .replay(record("c", at: 2000)))
    }

    @Test func aLaterRecordReplacesAnEarlierOne() {
        var cache = IdempotencyCache(maxKeys: 2)
        _ = cache.admit("k", fingerprint("secret", redacted: "***"), now: 0)
        cache.store(record("k", "***"))
        cache.store(record("k", "***", size: 7, at: 5))
        #expect(
            cache.admit("k", fingerprint("secret", redacted: "***"), now: 6)
                == .replay(record("k", "***", size: 7, at: 5)))
        // The request itself is still known by its secrets.
        #expect(cache.admit("k", fingerprint("other", redacted: "***"), now: 6) == .mismatch)
        #expect(cache.admit("other", fingerprint("body"), now: 6) == .new)
    }

    /// No key is forgotten early for another, and the time after which one more fits is true.
    @Test func aFullTableTellsWhenAKeyFits() {
        var cache = IdempotencyCache(maxKeys: 3)
        for (number, key) in ["a", "b", "c"].enumerated() { cache.store(record(key, at: number * 10_000)) }
        #expect(cache.admit("k", fingerprint("body"), now: 20_500) == .full(retryAfter: 580))
        #expect(cache.admit("a", fingerprint("body"), now: 20_500) == .replay(record("a", at: 0)))
        #expect(cache.admit("k", fingerprint("body"), now: 20_500 + 580_000) == .new)
        #expect(cache.admit("l", fingerprint("body"), now: 20_500 + 580_000) == .full(retryAfter: 10))
    }

    @Test func wholeResponsesAreLimitedByTheirSize() {
        var cache = IdempotencyCache(maxKeys: 10)
        cache.store(record("small", at: 0))
        cache.store(record("large", size: 5 << 20, at: 30_000))
        // Only when the large one is gone, there is room.
        #expect(cache.admit("k", fingerprint("body"), now: 30_000) == .full(retryAfter: 601))
        #expect(cache.admit("k", fingerprint("body"), now: 30_000 + 601_000) == .new)
    }

    @Test func requestsInProgressCount() {
        var cache = IdempotencyCache(maxKeys: 1000)
        for number in 0..<1000 {
            #expect(cache.admit("\(number)", fingerprint("body"), now: 0) == .new)
        }
        #expect(cache.admit("k", fingerprint("body"), now: 0) == .full(retryAfter: 1))
        cache.abandon("0")
        #expect(cache.admit("k", fingerprint("body"), now: 0) == .new)
    }

    /// 50 000 keys of the usual length, at most 200 bytes each.
    @Test func manyKeysTakeLittleMemory() throws {
        var cache = IdempotencyCache()
        let response = Array(#"{"r":123456,"e":["animal.fetch"],"s":"/animal"}"#.utf8)
        let key: (Int) -> String = { "8e03978e-40d5-43e8-bc93-" + String(100_000_000_000 + $0) }
        for number in 0..<50_000 {
            #expect(cache.admit(key(number), fingerprint("body"), now: number) == .new)
            cache.store(
                IdempotencyRecord(
                    key: key(number), fingerprint: fingerprint("body").persistent, response: response,
                    revision: number, at: number))
        }
        guard case .full = cache.admit("k", fingerprint("body"), now: 50_000) else {
            Issue.record("more than 50 000 keys")
            return
        }
        #expect(cache.allocatedBytes / 50_000 <= 200, "\(cache.allocatedBytes / 50_000) bytes for each key")
        for number in stride(from: 0, to: 50_000, by: 997) {
            guard case .replay(let found) = cache.admit(key(number), fingerprint("body"), now: 50_000) else {
                Issue.record("key \(number) is gone")
                return
            }
            #expect(found.revision == number && found.response == response)
        }
        // All of it is free again later.
        #expect(cache.admit("k", fingerprint("body"), now: 700_000) == .new)
        #expect(cache.allocatedBytes < 1000)
    }

    /// The cache against one that holds a dictionary of records.
    @Test func behavesAsADictionary() throws {
        var random = SeededGenerator(seed: 7)
        var cache = IdempotencyCache(maxKeys: 40)
        var model: [String: IdempotencyRecord] = [:]
        var now = 0
        for _ in 0..<20_000 {
            now += Int.random(in: 0...30_000, using: &random)
            let key = String(Int.random(in: 0..<60, using: &random))
            model = model.filter { $0.value.at >= now - Self.lifetime }
            switch (cache.admit(key, fingerprint("body"), now: now), model[key]) {
            case (.replay(let found), let known?): #expect(found == known)
            case (.new, nil):
                #expect(model.count < 40)
                guard Bool.random(using: &random) else {
                    cache.abandon(key)
                    continue
                }
                let new = record(key, size: Int.random(in: 0...100, using: &random), at: now)
                cache.store(new)
                model[key] = new
            case (.full, nil): #expect(model.count >= 40)
            case let other: Issue.record("\(other)")
            }
            if model[key] != nil, Int.random(in: 0..<10, using: &random) == 0 {
                let later = record(key, size: 3, at: now)
                cache.store(later)
                model[key] = later
            }
        }
    }
}
