import Cluster
import Locks
import Platform
import StoreHosting
import Synchronization

/// The clock of Redis, as this process knows it by the answers to its heartbeats, for all threads.
final class RedisClock: Sendable {
    private let wall: @Sendable () -> Int
    /// By how much it is ahead of the monotonic clock; `Int.min` before the first answer.
    private let offset = Atomic(Int.min)
    private let trusted = Atomic(true)
    // Guards the decisions. No other lock is taken while it is held.
    private let state = Locked((clock: RemoteClock(), agreement: ClockAgreement()))

    /// - Parameter wall: the clock of this machine, in milliseconds since 1970.
    init(wall: @escaping @Sendable () -> Int) { self.wall = wall }

    /// Milliseconds since 1970; by the clock of this machine before Redis has told its own.
    var now: Int {
        let offset = offset.load(ordering: .relaxed)
        return offset == .min ? wall() : offset + Self.steady
    }

    /// The moment before which things may be deleted that are older than so many milliseconds; 0 if the time is not trusted.
    func expiry(after age: Int) -> Int { isTrusted ? now - age : 0 }

    var isTrusted: Bool { trusted.load(ordering: .relaxed) }

    /// Why this process should get no requests.
    var problem: String? {
        guard !isTrusted else { return nil }
        let difference = state.withLock { $0.agreement.isReady(at: Self.steady) ? nil : $0.agreement.difference }
        return difference.map(Self.problem)
    }

    static func problem(_ ahead: Int) -> String {
        "the clock of this machine is \(abs(ahead) / 1000) seconds \(ahead > 0 ? "ahead of" : "behind") the clock of Redis"
    }

    var shared: SharedTime {
        SharedTime(now: { [self] in now }, isTrusted: { [self] in isTrusted }, problem: { [self] in problem })
    }

    /// The monotonic clock, in milliseconds.
    static var steady: Int { continuousTime() / 1_000_000 }

    /// Takes the time that Redis has told in an answer that comes now.
    ///
    /// - Parameter sentAt: when the request was sent, or earlier, by ``steady``.
    /// - Returns: what to log.
    func take(_ time: Int, sentAt: Int) -> ClockAgreement.Change? {
        let (now, wall) = (Self.steady, wall())
        return state.withLock { state in
            state.clock.take(time, sentAt: sentAt, receivedAt: now)
            guard let current = state.clock.offset else { return nil }
            let change = state.agreement.take(ahead: wall - now - current, now: now)
            trusted.store(state.agreement.difference == nil, ordering: .relaxed)
            offset.store(current, ordering: .relaxed)
            return change
        }
    }
}
