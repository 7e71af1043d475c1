package import Synchronization

/// Decides when the owner of a session hands it over to the node that forwards the requests for it.
///
/// A load balancer that hashes the sessions sends all requests for one of them to the same node. If that is not the owner, each
/// request is forwarded. So the owner hands the session over after a number of requests that one and the same node has forwarded,
/// with no other request in between. It does so while no request is in progress: the next request waits until those in progress
/// are answered, and then the node that has forwarded it claims the session.
///
/// It fits one word, because each request changes it.
package struct SessionHandover: RawRepresentable, Sendable, Equatable {
    /// The decision about a request.
    package enum Admission: Sendable, Equatable {
        /// Serve it. It ends with ``SessionHandover/end()``.
        case serve
        /// Serve it, and wake the requests that wait: the session stays.
        case serveAndWake
        /// Wait until the requests in progress have ended. This is the first request that waits.
        case prepare
        /// Wait, and hand the session over now: no request is in progress.
        case release
        /// Wait until the session is handed over, or stays.
        case wait
        /// The session has left this object.
        case lookUpAgain
    }

    private enum Phase: UInt64 { case open, closing, releasing, released }

    /// The number of the node that has forwarded the newest request; 0 if its client has sent it here.
    package private(set) var node: UInt16 = 0
    /// How many requests the node has forwarded, one after the other.
    private var run: UInt16 = 0
    private var requestCount: UInt32 = 0
    /// How often the session has stayed in this run.
    private var failures: UInt8 = 0
    private var phase = Phase.open

    package init() {}

    /// A request begins.
    ///
    /// - Parameters:
    ///   - sender: the number of the node that has forwarded it; 0 for none, and nil if it is no use of the session.
    ///   - limit: after how many requests of one node the session is handed over to it.
    package mutating func begin(from sender: UInt16?, limit: Int) -> Admission {
        var admission = Admission.serve
        switch phase {
        case .open: break
        case .closing where sender ?? node != node: (phase, admission) = (.open, .serveAndWake)
        case .closing, .releasing: return .wait
        case .released: return .lookUpAgain
        }
        if let sender {
            if sender != node { (node, run, failures) = (sender, 0, 0) }
            // A session that is in use all the time is not interrupted each time.
            if sender != 0, run >= limit << failures {
                phase = requestCount == 0 ? .releasing : .closing
                return requestCount == 0 ? .release : .prepare
            }
            if sender != 0 { run += 1 }
        }
        requestCount += 1
        return admission
    }

    /// A request has ended.
    ///
    /// - Returns: whether to hand the session over now.
    package mutating func end() -> Bool {
        requestCount -= 1
        guard phase == .closing, requestCount == 0 else { return false }
        phase = .releasing
        return true
    }

    /// The node gives the session back, whoever takes it next.
    ///
    /// - Returns: whether no request is in progress. From now on requests wait.
    package mutating func beginRelease() -> Bool {
        guard phase == .open, requestCount == 0 else { return false }
        phase = .releasing
        return true
    }

    /// The requests in progress take too long.
    ///
    /// - Returns: whether requests have waited for them. Wake them.
    package mutating func giveUp() -> Bool {
        guard phase == .closing else { return false }
        abort()
        return true
    }

    /// The session is in use, so it cannot be handed over now.
    package mutating func abort() {
        (phase, run, failures) = (.open, 0, min(failures + 1, 3))
    }

    /// The session has left this object.
    package mutating func leave() { phase = .released }

    /// Whether requests wait.
    package var isClosed: Bool { phase == .closing || phase == .releasing }
}

extension SessionHandover {
    // From the lowest bit: 24 bits for the requests in progress, 16 for the node, 16 for the run, 4 for failures and phase each.
    package var rawValue: UInt64 {
        UInt64(requestCount & 0xff_ffff) | UInt64(node) << 24 | UInt64(run) << 40 | UInt64(failures) << 56
            | phase.rawValue << 60
    }

    package init(rawValue: UInt64) {
        requestCount = UInt32(rawValue & 0xff_ffff)
        node = UInt16(truncatingIfNeeded: rawValue >> 24)
        run = UInt16(truncatingIfNeeded: rawValue >> 40)
        failures = UInt8(rawValue >> 56 & 0xf)
        phase = Phase(rawValue: rawValue >> 60) ?? .open
    }
}

/// The ``SessionHandover`` of one session, for any thread. It begins with 0.
///
/// Each change is a whole method, so that the loop is compiled together with the decision.
extension Atomic<UInt64> {
    package var handover: SessionHandover { SessionHandover(rawValue: load(ordering: .acquiring)) }

    /// See ``SessionHandover/begin(from:limit:)``.
    package func begin(from sender: UInt16?, limit: Int) -> SessionHandover.Admission {
        change { $0.begin(from: sender, limit: limit) }
    }

    /// See ``SessionHandover/end()``.
    package func end() -> Bool { change { $0.end() } }

    /// See ``SessionHandover/beginRelease()``.
    package func beginRelease() -> Bool { change { $0.beginRelease() } }

    /// See ``SessionHandover/giveUp()``.
    package func giveUp() -> Bool { change { $0.giveUp() } }

    /// See ``SessionHandover/abort()``.
    package func abort() { change { $0.abort() } }

    /// See ``SessionHandover/leave()``.
    package func leave() { change { $0.leave() } }

    @inline(__always)
    private func change<Result>(_ body: (inout SessionHandover) -> Result) -> Result {
        var current = load(ordering: .acquiring)
        while true {
            var next = SessionHandover(rawValue: current)
            let result = body(&next)
            let (isExchanged, original) = compareExchange(
                expected: current, desired: next.rawValue, ordering: .acquiringAndReleasing)
            if isExchanged { return result }
            current = original
        }
    }
}
