/// A list that never changes, for loops that are run with each action: no reference is counted on the way.
@usableFromInline
final class ConstantList<Element: AnyObject & Sendable>: Sendable {
    private let owner: [Element]
    // The elements once more, where they are found without being retained. Unsafe only by name: nobody writes after `init`, and
    // `owner` keeps what stands here.
    @usableFromInline nonisolated(unsafe) let elements: UnsafeBufferPointer<Unmanaged<Element>>

    @usableFromInline
    init(_ elements: [Element]) {
        owner = elements
        let places = UnsafeMutableBufferPointer<Unmanaged<Element>>.allocate(capacity: elements.count)
        _ = places.initialize(from: elements.map(Unmanaged.passUnretained))
        self.elements = UnsafeBufferPointer(places)
    }

    deinit { elements.deallocate() }
}
