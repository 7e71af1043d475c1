public import Synchronization

/// A reference to an object that any thread may make when it is first needed.
///
/// Inlinable, unlike the standard library's `AtomicLazyReference`, which takes 770 instructions for a load because it looks up
/// its metadata.
@usableFromInline
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The address of the object, which this owns; 0 if there is none.
    @usableFromInline let address = Atomic<UInt>(0)

    /// No object.
    @inlinable
    package init() {}

    @inlinable
    deinit { Self.object(at: address.load(ordering: .acquiring))?.release() }

    /// The object; nil if none was stored.
    @inlinable
    package func load() -> Object? { Self.object(at: address.load(ordering: .acquiring))?.takeUnretainedValue() }

    /// Stores an object, unless there is one already.
    ///
    /// - Returns: the object that is stored now.
    @inlinable
    package func storeIfNil(_ object: Object) -> Object {
        let new = Unmanaged.passRetained(object)
        let (isStored, known) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing)
        guard !isStored else { return object }
        new.release()
        return Self.object(at: known)?.takeUnretainedValue() ?? object
    }

    /// The object, which `make` makes if none was stored. Of two that are made at the same time, one is stored.
    @inlinable
    package func load(orStore make: @autoclosure () -> Object) -> Object { load() ?? storeIfNil(make()) }

    @inlinable
    static func object(at address: UInt) -> Unmanaged<Object>? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
    }
}
