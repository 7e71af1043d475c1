/// A sendable box for a value that belongs to an event loop.
///
/// ``value`` traps off the loop. The last reference may be released on any thread, so the value's `deinit` must not
/// depend on the loop.
@usableFromInline
package struct LoopBound<Value>: @unchecked Sendable {
    // Sendable although the value need not be: it was sent by one owner, and only the loop can access it.
    @usableFromInline let bound: Value
    @usableFromInline let anchor: LoopThread

    /// Transfers a value to the loop. May be called from any thread.
    package init(handing value: sending Value, to anchor: LoopThread) {
        bound = value
        self.anchor = anchor
    }

    /// Binds a value that already lives on the loop. Traps off the loop.
    package init(_ value: Value, on loop: any SerialLoop) { self.init(value, on: loop.anchor) }

    /// Binds a value that already lives on the loop whose thread is `anchor`. Traps off the loop. Inlinable for the
    /// same reason as ``value``.
    @inlinable
    package init(_ value: Value, on anchor: LoopThread) {
        precondition(anchor.isCurrent, "a value is bound to a loop on that loop, or handed over")
        bound = value
        self.anchor = anchor
    }

    /// The value. Traps off the loop.
    ///
    /// Inlinable, because an unspecialized access costs much more than the check.
    @inlinable
    package var value: Value {
        precondition(anchor.isCurrent, "a loop's value was touched off its loop")
        return bound
    }

    /// The value; nil off the loop.
    @inlinable
    package var valueIfCurrent: Value? { anchor.isCurrent ? bound : nil }
}
