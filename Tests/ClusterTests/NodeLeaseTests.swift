import Cluster
import Testing

@Suite("The lease of a node")
struct NodeLeaseTests {
    private let incarnation = NodeIncarnation(number: 7, address: "a:1")
    private let other = NodeIncarnation(number: 8, address: "a:1")
    private let terms = NodeLease.Terms(duration: 5000)

    /// A lease that was registered at 1000.
    private func registered() throws -> NodeLease {
        var lease = NodeLease(terms, now: 1000)
        let request = try lease.requireRequest(now: 1000)
        #expect(request == .init(.register, sentAt: 1000))
        expect(lease.take(.granted(incarnation), to: request, now: 1400), .began(incarnation))
        return lease
    }

    @Test("holds from the request on, less a margin")
    func margin() throws {
        let lease = try registered()
        #expect(lease.end == 1000 + 5000 - 500)
        #expect(lease.holds(at: 5499))
        #expect(!lease.holds(at: 5500))
    }

    @Test("is renewed ten times within its duration")
    func renewal() throws {
        var lease = try registered()
        expect(lease.nextRequest(now: 1499), nil)
        let request = try lease.requireRequest(now: 1500)
        #expect(request == .init(.renew(incarnation), sentAt: 1500))
        expect(lease.nextRequest(now: 1999), nil)
        expect(lease.take(.granted(incarnation), to: request, now: 5400), nil)
        #expect(lease.end == 6000)
    }

    @Test("is not made shorter by the answer to an earlier request")
    func lateAnswer() throws {
        var lease = try registered()
        let first = try lease.requireRequest(now: 1500)
        let second = try lease.requireRequest(now: 2000)
        _ = lease.take(.granted(incarnation), to: second, now: 2001)
        _ = lease.take(.granted(incarnation), to: first, now: 2002)
        #expect(lease.end == 6500)
    }

    @Test("goes on if Redis renews it after it has ended here")
    func renewedAfterTheEnd() throws {
        var lease = try registered()
        let request = try lease.requireRequest(now: 5600)
        #expect(!lease.holds(at: 5600))
        expect(lease.take(.granted(incarnation), to: request, now: 5601), nil)
        #expect(lease.holds(at: 5601))
    }

    @Test("ends if Redis has forgotten it, and another incarnation begins at once")
    func forgotten() throws {
        var lease = try registered()
        let request = try lease.requireRequest(now: 9000)
        expect(lease.take(.forgotten, to: request, now: 9001), .ended(incarnation))
        #expect(!lease.holds(at: 9001))
        let again = try lease.requireRequest(now: 9001)
        #expect(again.command == .register)
        expect(lease.take(.granted(other), to: again, now: 9002), .began(other))
        // A delayed answer of the incarnation before means nothing.
        expect(lease.take(.forgotten, to: request, now: 9003), nil)
        expect(lease.take(.granted(incarnation), to: request, now: 9004), nil)
        #expect(lease.incarnation == other)
    }

    @Test("begins one incarnation, however often the registration is answered")
    func repeatedRegistration() throws {
        var lease = NodeLease(terms, now: 0)
        let first = try lease.requireRequest(now: 0)
        let second = try lease.requireRequest(now: 500)
        expect(lease.take(.granted(other), to: second, now: 501), .began(other))
        expect(lease.take(.granted(incarnation), to: first, now: 502), nil)
        #expect(lease.incarnation == other)
    }

    @Test("is given back, and asks until that is done")
    func leaving() throws {
        var lease = try registered()
        #expect(!lease.hasLeft)
        expect(lease.leave(now: 2000), true)
        #expect(lease.hasLeft)
        #expect(!lease.holds(at: 2000))
        let request = try lease.requireRequest(now: 2000)
        #expect(request.command == .leave(incarnation))
        expect(lease.nextRequest(now: 2500), .init(.leave(incarnation), sentAt: 2500))
        expect(lease.take(.forgotten, to: request, now: 2600), .left)
        expect(lease.nextRequest(now: 9000), nil)
    }

    @Test("is not given back if there is none")
    func leavingEarly() {
        var lease = NodeLease(terms, now: 0)
        expect(lease.leave(now: 0), false)
        expect(lease.nextRequest(now: 1000), nil)
    }
}
