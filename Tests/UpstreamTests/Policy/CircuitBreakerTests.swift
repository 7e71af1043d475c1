import Platform
import Sockets
import Stores
import Testing
import Upstream

/// The breaker as a value, at moments that the tests choose.
@Suite struct CircuitBreakerTests {
    /// One thing done to the breaker, `at` so many seconds.
    enum Act: Sendable {
        /// A call that is admitted and ends with this verdict.
        case call(CircuitBreaker.Verdict, at: Int)
        case refused(at: Int)
        /// A call that is admitted, and ends only when `end` says so.
        case begin(at: Int)
        /// The oldest call that has begun ends.
        case end(CircuitBreaker.Verdict, at: Int)
    }

    struct Story: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var acts: [Act]

        init(_ description: String, _ acts: Act...) {
            testDescription = description
            self.acts = acts
        }
    }

    /// Opens after 3 failures in a row, for 5 seconds.
    static let stories = [
        Story(
            "opens after failures in a row", .call(.failure, at: 0), .call(.failure, at: 0), .call(.failure, at: 0),
            .refused(at: 0), .refused(at: 4)),
        Story(
            "a success between them counts", .call(.failure, at: 0), .call(.failure, at: 0), .call(.success, at: 0),
            .call(.failure, at: 0), .call(.failure, at: 0), .call(.success, at: 0)),
        Story(
            "what is unknown does not count", .call(.failure, at: 0), .call(.failure, at: 0), .call(.unknown, at: 0),
            .call(.failure, at: 0), .refused(at: 0)),
        Story(
            "one probe after the cooldown", .call(.failure, at: 0), .call(.failure, at: 0), .call(.failure, at: 0),
            .begin(at: 5), .refused(at: 5), .refused(at: 100)),
        Story(
            "closed by the probe's success", .call(.failure, at: 0), .call(.failure, at: 0), .call(.failure, at: 0),
            .call(.success, at: 5), .call(.failure, at: 5), .call(.failure, at: 5), .call(.success, at: 5)),
        Story(
            "opened again by the probe's failure", .call(.failure, at: 0), .call(.failure, at: 0),
            .call(.failure, at: 0), .call(.failure, at: 5), .refused(at: 9), .call(.success, at: 10),
            .call(.success, at: 10)),
        Story(
            "a probe that was cut off makes room for another", .call(.failure, at: 0), .call(.failure, at: 0),
            .call(.failure, at: 0), .call(.unknown, at: 5), .begin(at: 5), .refused(at: 5)),
        Story(
            "success from before it opened does not close it", .begin(at: 0), .call(.failure, at: 0),
            .call(.failure, at: 0), .call(.failure, at: 0), .end(.success, at: 1), .refused(at: 1)),
        Story(
            "failure from before it opened does not end the probe", .begin(at: 0), .call(.failure, at: 0),
            .call(.failure, at: 0), .call(.failure, at: 0), .begin(at: 5), .end(.failure, at: 5),
            .end(.success, at: 6), .call(.success, at: 6)),
    ]

    @Test(arguments: stories)
    func eachStepChangesTheCircuitAsExpected(_ story: Story) throws {
        var breaker = CircuitBreaker(failures: 3, cooldown: .seconds(5))
        var begun: [CircuitBreaker.Permit] = []
        for act in story.acts {
            switch act {
            case .call(let verdict, let time):
                let permit = breaker.admit(at: moment(time))
                breaker.record(verdict, for: try #require(permit), at: moment(time))
            case .refused(let time):
                #expect(breaker.refuses(at: moment(time)))
                let permit = breaker.admit(at: moment(time))
                #expect(permit == nil)
            case .begin(let time):
                let permit = breaker.admit(at: moment(time))
                begun.append(try #require(permit))
            case .end(let verdict, let time):
                breaker.record(verdict, for: begun.removeFirst(), at: moment(time))
            }
        }
    }

    @Test func aLimitOfZeroNeverOpensTheCircuit() throws {
        var breaker = CircuitBreaker(failures: 0, cooldown: .seconds(5))
        for _ in 0..<1000 {
            let permit = breaker.admit(at: moment(0))
            breaker.record(.failure, for: try #require(permit), at: moment(0))
        }
    }

    @Test func aPermitIsCurrentUntilTheCircuitChanges() throws {
        var breaker = CircuitBreaker(failures: 1, cooldown: .seconds(5))
        let admitted = breaker.admit(at: moment(0))
        let early = try #require(admitted)
        #expect(breaker.isCurrent(early))
        breaker.record(.failure, for: early, at: moment(0))
        #expect(!breaker.isCurrent(early))
    }

    private func moment(_ seconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }
}
