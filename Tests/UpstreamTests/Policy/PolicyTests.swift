import HTTP
import Platform
import Sockets
import Testing
import Upstream

/// The small rules, without a network.
@Suite struct PolicyTests {
    @Test(
        arguments: [
            ("GET", true, true, true, false), ("PUT", true, true, true, false), ("POST", true, false, false, false),
            ("PATCH", true, false, false, false),
        ] as [(String, Bool, Bool, Bool, Bool)])
    func onlySafeRequestsAreRetried(
        _ method: String, refused: Bool, unconnected: Bool, broken: Bool, lasting: Bool
    ) {
        let isIdempotent = RetryRule.isIdempotent(method)
        #expect(RetryRule.allows(isIdempotent, after: .refused) == refused)
        #expect(RetryRule.allows(isIdempotent, after: .unconnected) == unconnected)
        #expect(RetryRule.allows(isIdempotent, after: .broken) == broken)
        #expect(RetryRule.allows(isIdempotent, after: .permanent) == lasting)
        #expect(RetryRule.allows(isIdempotent, afterStatus: 503) == broken)
        #expect(!RetryRule.allows(isIdempotent, afterStatus: 500))
    }

    @Test(arguments: [(1, 0.1), (2, 0.2), (3, 0.4), (7, 5), (1000, 5), (Int.max, 5)] as [(Int, Double)])
    func theBackoffDoublesUpToALimit(_ retry: Int, bound: Double) {
        #expect(Backoff.delay(beforeRetry: retry, jitter: 1, retryAfter: nil) == .seconds(bound))
        #expect(Backoff.delay(beforeRetry: retry, jitter: 0, retryAfter: nil) == .zero)
        #expect(Backoff.delay(beforeRetry: retry, jitter: 0, retryAfter: .seconds(7)) == .seconds(7))
    }

    @Test func theRetryBudgetIsSpentAndRefilled() {
        let start = MonotonicInstant(nanoseconds: 1)
        var budget = RetryBudget(at: start)
        #expect(retries(&budget, at: start) == 100)
        for _ in 0..<40 {
            budget.countCall()
        }
        #expect(retries(&budget, at: start) == 10)
        #expect(retries(&budget, at: start.advanced(by: .seconds(2))) == 20)
        #expect(retries(&budget, at: start.advanced(by: .seconds(100_000))) == 100)
    }

    private func retries(_ budget: inout RetryBudget, at now: MonotonicInstant) -> Int {
        var count = 0
        while budget.takeRetry(at: now) {
            count += 1
        }
        return count
    }

    @Test(arguments: [
        ("http://a.example/x", "http", "a.example", 80), ("HTTPS://A.example", "https", "a.example", 443),
        ("http://u:p@a.example:81", "http", "a.example", 81), ("http://[::1]:8/", "http", "[::1]", 8),
        ("http://a.example?b@c.example", "http", "a.example", 80),
        ("http://a.example/\u{301}|", "http", "a.example", 80),
    ])
    func aURLHasAnOrigin(_ text: String, scheme: String, host: String, port: Int) throws {
        let origin = try #require(HTTPURL(text)).origin
        #expect(origin.scheme == scheme)
        #expect(origin.host == host)
        #expect(origin.port == port)
    }

    @Test(arguments: [
        "", "/x", "a.example", "ftp://a.example", "file:///x", "http://", "http://a b/", "x:y", "http:/a.example",
        "http:///a.example", "http://a.example:0", "http://a.example:65536", "http://a.example:8x",
        "http://a.example/\n",
    ])
    func anInvalidURLIsRejected(_ text: String) {
        #expect(HTTPURL(text) == nil)
    }

    // Parsers of URLs disagree about these, and a disagreement could send credentials to another host.
    @Test(arguments: [
        "http://a.example@b.example@c.example", #"http://a.example\@b.example"#, "http://%61.example",
        "http://\u{e4}.example",
        "http://a.example\u{ff0f}.b.example", #"http://a.example\b.example"#, "http://a.example;b.example",
        "http://[::1",
        "http://[a.example]", "http://[::1]a.example",
    ])
    func anAmbiguousURLIsRejected(_ text: String) {
        #expect(HTTPURL(text) == nil)
    }

    private static let publicAddresses = [
        "8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.128.0.1", "192.0.1.1", "198.20.0.1", "223.255.255.255",
        "2606::1", "2001:db9::1", "2001:1::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
    ]

    private static let privateAddresses = [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.9.9", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "240.0.0.1", "255.255.255.255", "198.19.0.1", "192.0.0.1", "192.0.2.1", "198.51.100.1",
        "203.0.113.1", "::", "::1", "::8.8.8.8", "::ffff:127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8",
        "2002:c0a8:1::", "fd00::", "fe80::1", "ff02::1", "2001:db8::", "2001::1",
    ]

    @Test(arguments: publicAddresses.map { ($0, true) } + privateAddresses.map { ($0, false) })
    func privateAddressesAreRecognized(_ text: String, isPublic: Bool) throws {
        #expect(PublicAddress.isPublic(try #require(IPAddress(text))) == isPublic)
    }

    @Test func aQueueKeepsItsOrderWhenElementsAreRemoved() {
        final class Person {}
        let people = (0..<200).map { _ in Person() }
        var line = RemovableQueue<Person>()
        for person in people {
            line.append(person)
        }
        for person in people[10..<190] {
            let removals = [line.remove(person), line.remove(person)]
            #expect(removals == [true, false])
            line.compact()
        }
        #expect(line.count == 20)
        for person in people[..<10] + people[190...] {
            let next = line.popFirst()
            #expect(next === person)
        }
        #expect(line.count == 0)
        line.append(people[0])
        let ends = [line.popFirst(), line.popFirst()]
        #expect(ends[0] === people[0])
        #expect(ends[1] == nil)
    }

    @Test(arguments: [
        (["Content-Length": "1"], "Content-Length"), (["X": "a\r\nY: b"], "X"), (["a b": "c"], "a b"), (["": "c"], ""),
    ])
    func headersThatWouldBreakTheMessageAreRejected(_ headers: [String: String], name: String) async throws {
        let upstreams = try CurlUpstreams(userAgent: "test")
        #expect(throws: UpstreamConfigurationError.header(name: name)) {
            _ = try upstreams.client(for: UpstreamSettings(name: "a", url: "http://a.example", headers: headers))
        }
        #expect(throws: UpstreamConfigurationError.url) {
            _ = try upstreams.client(for: UpstreamSettings(name: "a", url: "ftp://a.example"))
        }
        await upstreams.shutdown()
    }
}
