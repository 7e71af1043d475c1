import JSON
import StoreHosting
import StorehouseServer
import Testing

/// The decisions about requests with an Idempotency-Key.
@Suite struct IdempotencyTableTests {
    private static let lifetime = 600_000

    private func fingerprint(_ body: String, redacted: String? = nil) -> RequestFingerprint {
        RequestFingerprint(Array(body.utf8), redacted: .string(redacted ?? body))
    }

    private func record(_ key: String, _ body: String = "body", size: Int = 2, at moment: Int = 0) -> IdempotencyRecord
    {
        IdempotencyRecord(
            key: key, fingerprint: fingerprint(body).persistent, response: [UInt8](repeating: 0, count: size),
            at: moment)
    }

    @Test func theFirstRequestIsNewAndTheNextIsInProgress() {
        var table = IdempotencyTable()
        #expect(table.admit("k", fingerprint("body"), now: 0) == .new)
        #expect(table.isBusy)
        #expect(table.admit("k", fingerprint("body"), now: 0) == .inProgress)
        #expect(table.admit("k", fingerprint("other"), now: 0) == .mismatch)
    }

    @Test func aStoredResponseIsReplayed() {
        var table = IdempotencyTable()
        _ = table.admit("k", fingerprint("body"), now: 0)
        table.store(record("k"))
        #expect(!table.isBusy)
        #expect(table.admit("k", fingerprint("body"), now: 1) == .replay(record("k")))
        #expect(table.admit("k", fingerprint("other"), now: 1) == .mismatch)
    }

    @Test func anAbandonedRequestIsNewAgain() {
        var table = IdempotencyTable()
        _ = table.admit("k", fingerprint("body"), now: 0)
        table.abandon("k")
        #expect(!table.isBusy)
        #expect(table.admit("k", fingerprint("other"), now: 0) == .new)
        table.store(record("k"))
        table.abandon("k")
        #expect(table.admit("k", fingerprint("other"), now: 0) == .replay(record("k")))
    }

    /// After a restart only the fingerprint without secrets is known.
    @Test func aRestoredRecordIsComparedWithoutSecrets() {
        var table = IdempotencyTable()
        table.store(record("k", "***"))
        let same = fingerprint("secret", redacted: "***")
        #expect(table.admit("k", same, now: 0) == .replay(record("k", "***")))
        #expect(table.admit("k", fingerprint("other"), now: 0) == .mismatch)
    }

    @Test func aResponseIsForgottenAfterTenMinutes() {
        var table = IdempotencyTable()
        for (number, key) in ["a", "b", "c"].enumerated() { table.store(record(key, at: number * 1000)) }
        let now = Self.lifetime + 1500
        for key in ["a", "b"] {
            #expect(table.admit(key, fingerprint("body"), now: now) == .new)
        }
        #expect(table.admit("c", fingerprint("body"), now: now) == .replay(record("c", at: 2000)))
    }

    @Test func noKeyIsForgottenEarlyForAnother() {
        var table = IdempotencyTable()
        table.store(record("large", size: 4 << 20))
        #expect(table.admit("k", fingerprint("body"), now: 0) == .full)
        #expect(table.admit("large", fingerprint("body"), now: 0) == .replay(record("large", size: 4 << 20)))
        // A shorter response in its place makes room.
        table.store(record("large"))
        #expect(table.admit("k", fingerprint("body"), now: 0) == .new)
    }

    @Test func thereAreNoMoreThanAThousandRequestsInProgress() {
        var table = IdempotencyTable()
        for number in 0..<1000 {
            #expect(table.admit("\(number)", fingerprint("body"), now: 0) == .new)
        }
        #expect(table.admit("k", fingerprint("body"), now: 0) == .full)
        table.store(record("0"))
        #expect(table.admit("k", fingerprint("body"), now: 0) == .new)
    }
}
