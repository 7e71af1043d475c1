package import Stores

/// The size of a state as JSON, as far as it is known without encoding the state again.
///
/// A diff tells by how many bytes a state has grown, or more, because the size of removed entities is not known. So this is
/// an upper bound, and the state is encoded only when the bound comes near the limit.
package struct StateSize: Sendable {
    /// The size or more.
    package private(set) var upperBound: Int
    /// The newest size that is known exactly.
    private var measured: Int
    /// The exact size of the state that the dispatch in progress commits, if it was measured.
    private var admitted: Int?

    /// - Parameter byteCount: the exact size.
    package init(_ byteCount: Int) { (upperBound, measured) = (byteCount, byteCount) }

    /// The largest state that an action of this origin may lead to.
    ///
    /// Actions of middlewares, effects, timers and the system have a reserve above the limit. A client that has filled the
    /// state would otherwise make them be lost, and a state that waits for the result of an effect would wait for ever.
    package static func limit(_ limit: Int, for origin: Origin) -> Int {
        let reserve = max(65_536, limit / 8)
        return origin == .client ? limit : limit > .max - reserve ? .max : limit + reserve
    }

    /// Whether a single action might exceed the limit, so that its state must be admitted before it is committed.
    package func isNear(_ limit: Int) -> Bool { upperBound > limit / 2 }

    package mutating func grow(by bytes: Int) { upperBound += bytes }

    /// Whether a state may be committed next: it is not larger than the limit, or at least not larger than it was.
    ///
    /// - Parameters:
    ///   - growth: by how many bytes it is larger than the newest state, or more.
    ///   - next: measures the state.
    ///   - current: measures the newest state.
    package mutating func admits(growth: Int, limit: Int, next: () -> Int, current: () -> Int) -> Bool {
        guard upperBound + growth > limit else { return true }
        let next = next()
        admitted = next
        if next <= limit { return true }
        measured = current()
        upperBound = measured
        return next <= measured
    }

    /// Ends a dispatch whose commits have grown the state.
    package mutating func endDispatch(hasCommitted: Bool) {
        if hasCommitted, let admitted { (upperBound, measured) = (admitted, admitted) }
        admitted = nil
    }

    /// Measures the newest state if the bound has moved far from it.
    ///
    /// - Returns: whether the next state must be admitted before it is committed.
    package mutating func update(limit: Int, measure: () -> Int) -> Bool {
        if isNear(limit), upperBound - measured > limit / 8 {
            measured = measure()
            upperBound = measured
        }
        return isNear(limit)
    }
}
