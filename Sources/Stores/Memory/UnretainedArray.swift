/// An immutable list for loops that run with each action: they retain and release nothing.
@usableFromInline
package final class UnretainedArray<Element: AnyObject & Sendable>: Sendable {
    private let owner: [Element]
    // The elements of `owner`, without reference counting. Safe although `nonisolated(unsafe)`: nothing writes after
    // `init`, and `owner` retains the elements.
    @usableFromInline nonisolated(unsafe) let elements: UnsafeBufferPointer<Unmanaged<Element>>

    @usableFromInline
    package init(_ elements: [Element]) {
        owner = elements
        let places = UnsafeMutableBufferPointer<Unmanaged<Element>>.allocate(capacity: elements.count)
        _ = places.initialize(from: elements.map(Unmanaged.passUnretained))
        self.elements = UnsafeBufferPointer(places)
    }

    deinit { elements.deallocate() }
}
