import Cluster
import StoresTesting
import Testing

@Suite("A session follows the node that forwards its requests")
struct SessionHandoverTests {
    private typealias Admission = SessionHandover.Admission

    private var handover = SessionHandover()

    /// A request that ends at once.
    private mutating func exchange(_ node: UInt16?, at location: SourceLocation = #_sourceLocation) {
        expect(begin(node), .serve, at: location)
        expect(handover.end(), false, at: location)
    }

    private mutating func begin(_ node: UInt16?) -> Admission { handover.begin(from: node, limit: 3) }

    @Test("after so many requests, before the next one")
    mutating func limit() {
        for _ in 0..<3 { exchange(7) }
        expect(begin(7), .release)
        expect(handover.node, 7)
        expect(begin(7), .wait)
        expect(begin(0), .wait)
        expect(begin(nil), .wait)
        expect(handover.isClosed, true)
        handover.leave()
        expect(handover.isClosed, false)
        expect(begin(7), .lookUpAgain)
    }

    @Test("not if another request comes in between", arguments: [0, 8] as [UInt16])
    mutating func others(other: UInt16) {
        for _ in 0..<3 { exchange(7) }
        exchange(other)
        for _ in 0..<3 { exchange(7) }
        expect(begin(7), .release)
    }

    @Test("whatever operators look at meanwhile")
    mutating func noUse() {
        for _ in 0..<5 { exchange(nil) }
        for _ in 0..<3 {
            exchange(7)
            exchange(nil)
        }
        expect(begin(7), .release)
    }

    @Test("never for requests of its own clients")
    mutating func direct() {
        for _ in 0..<100 { exchange(0) }
    }

    @Test("once the requests in progress have ended, for which the next ones wait")
    mutating func inProgress() {
        expect(begin(nil), .serve)
        for _ in 0..<3 { exchange(7) }
        expect(begin(7), .prepare)
        expect(begin(7), .wait)
        expect(begin(nil), .wait)
        expect(handover.end(), true)
        expect(handover.giveUp(), false)
        expect(begin(0), .wait)
    }

    @Test("not if another client comes while it waits")
    mutating func cancelled() {
        expect(begin(7), .serve)
        for _ in 0..<2 { exchange(7) }
        expect(begin(7), .prepare)
        expect(begin(0), .serveAndWake)
        expect(handover.isClosed, false)
        for _ in 0..<2 { expect(handover.end(), false) }
        for _ in 0..<3 { exchange(7) }
        expect(begin(7), .release)
    }

    @Test("not if the requests in progress take too long; then it is tried less often")
    mutating func waitTimeout() {
        expect(begin(nil), .serve)
        for limit in [3, 6, 12, 24, 24] {
            for _ in 0..<limit { exchange(7) }
            expect(begin(7), .prepare)
            expect(handover.giveUp(), true)
            expect(handover.giveUp(), false)
            expect(handover.isClosed, false)
        }
        exchange(8)
        for _ in 0..<2 { exchange(8) }
        expect(begin(8), .prepare)
    }

    @Test("or stays if it is in use otherwise")
    mutating func stays() {
        for _ in 0..<3 { exchange(7) }
        expect(begin(7), .release)
        handover.abort()
        for _ in 0..<6 { exchange(7) }
        expect(begin(7), .release)
    }

    @Test("in one word, whatever has happened")
    mutating func word() {
        var random = SeededGenerator(seed: 7)
        var requestCount = 0
        for _ in 0..<10_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case ..<6:
                switch begin([nil, 0, 7, 7, 7, .max].randomElement(using: &random) ?? nil) {
                case .serve, .serveAndWake: requestCount += 1
                case .release: handover.abort()
                case .prepare, .wait, .lookUpAgain: break
                }
            case ..<9:
                guard requestCount > 0 else { break }
                requestCount -= 1
                if handover.end() { handover.abort() }
            default: _ = handover.giveUp()
            }
            #expect(SessionHandover(rawValue: handover.rawValue) == handover)
        }
    }
}
