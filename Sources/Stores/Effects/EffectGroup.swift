import Locks

/// Counts the effects that follow from one action: its own, those of the actions that these emit, and so on.
@usableFromInline
package final class EffectGroup: Sendable {
    private struct Contents {
        var running = 0
        /// Whether actions that its commits dispatch are dropped.
        var isStopped = false
        var waiting: [@Sendable () -> Void] = []
    }

    /// The trace of the client's request that caused the group.
    let trace: TraceContext?
    // Guards the count and the waiters. The last lock in the order: nothing is called while it is held.
    private let contents = Locked(Contents())

    init(_ trace: TraceContext? = nil) { self.trace = trace }

    package var isSettled: Bool { contents.withLock { $0.running == 0 } }

    /// What happens to the actions that a commit of this group has just dispatched.
    enum Cascade { case continues, stopsNow, alreadyStopped }

    /// - Parameter depth: how many actions of middlewares led to the commit; 0 starts a new count.
    func cascade(_ depth: Int, limit: Int) -> Cascade {
        contents.withLock { contents in
            if depth == 0 { contents.isStopped = false }
            if contents.isStopped { return .alreadyStopped }
            contents.isStopped = depth >= limit || contents.running > limit
            return contents.isStopped ? .stopsNow : .continues
        }
    }

    func enter() { contents.withLock { $0.running += 1 } }

    func leave() {
        let settled: [@Sendable () -> Void] = contents.withLock { contents in
            contents.running -= 1
            guard contents.running == 0 else { return [] }
            defer { contents.waiting = [] }
            return contents.waiting
        }
        for action in settled { action() }
    }

    /// Waits until the count is 0.
    func settled() async {
        await withCheckedContinuation { continuation in
            whenSettled { continuation.resume() }
        }
    }

    /// Calls `action` when the count is 0, or immediately if it is.
    package func whenSettled(_ action: @escaping @Sendable () -> Void) {
        let isSettled = contents.withLock { contents in
            if contents.running == 0 { return true }
            contents.waiting.append(action)
            return false
        }
        if isSettled { action() }
    }
}

/// The trace that a client's request belongs to: the `traceparent` of W3C Trace Context.
///
/// The store passes it from the action of a client to the effects of that action, to the actions that these send, and so on.
/// ``EffectContext/trace`` hands it to an effect, so that a client of a remote service can send it with its calls.
public struct TraceContext: Sendable, Hashable {
    /// The value as it was received. It is sent unchanged.
    public let traceparent: String

    /// Reads a `traceparent`.
    ///
    /// - Parameter traceparent: the value of the field.
    /// - Returns: nil if the value is malformed: such a value must not be passed on (3.2.2.5).
    public init?(_ traceparent: String) {
        let bytes = Array(traceparent.utf8)
        // Version 00 ends behind the flags. Later versions may add fields behind another dash.
        guard bytes.count == 55 || bytes.count > 55 && bytes.count <= 512 && bytes[55] == Self.dash else { return nil }
        guard [2, 35, 52].allSatisfy({ bytes[$0] == Self.dash }) else { return nil }
        let (version, trace, parent, flags) = (bytes[0..<2], bytes[3..<35], bytes[36..<52], bytes[53..<55])
        guard [version, trace, parent, flags].allSatisfy({ $0.allSatisfy(Self.isDigit) }),
            !version.elementsEqual("ff".utf8), !version.elementsEqual("00".utf8) || bytes.count == 55,
            !trace.allSatisfy(Self.isZero), !parent.allSatisfy(Self.isZero),
            bytes[55...].allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        self.traceparent = traceparent
    }

    private static let dash = UInt8(ascii: "-")

    private static func isZero(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "0") }

    /// Hexadecimal, in lower case.
    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
