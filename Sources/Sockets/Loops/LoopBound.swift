/// Carries a value that belongs to an event loop through code that runs elsewhere.
///
/// The value is reached only on its loop: ``value`` traps anywhere else. The last reference may be dropped on any
/// thread, so a bound value must not need its loop to be deinitialized.
package struct LoopBound<Value>: @unchecked Sendable {
    // Sendable although the value need not be: it came from one owner, and only the loop can reach it.
    private let bound: Value
    private let anchor: LoopAnchor

    /// Hands a value over to the loop, from anywhere.
    package init(handing value: sending Value, to anchor: LoopAnchor) {
        bound = value
        self.anchor = anchor
    }

    /// Binds a value that already lives on the loop. Traps off the loop.
    package init(_ value: Value, on loop: any EventLoop) {
        precondition(loop.isCurrent, "a value is bound to a loop on that loop, or handed over")
        bound = value
        anchor = loop.anchor
    }

    /// The value. Traps off the loop.
    package var value: Value {
        precondition(anchor.isCurrent, "a loop's value was touched off its loop")
        return bound
    }
}
