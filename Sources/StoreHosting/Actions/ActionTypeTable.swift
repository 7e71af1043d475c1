/// The indices of the action types, for a lookup at each action.
///
/// The types are known when the server starts, and no client can add one. So the hash need not be one that resists
/// collisions, unlike that of a dictionary, which takes three times as long. Types are compared by code point.
@usableFromInline
struct ActionTypeTable: Sendable {
    private let types: [[UInt8]]
    /// The index of a type stands at the place that its hash names, or at the next free one; -1 where none stands. At least
    /// half of the places are free.
    private let places: [Int]

    /// - Parameter types: of equal ones the first counts.
    init(_ types: [String]) {
        let types = types.map { Array($0.utf8) }
        var places = [Int](repeating: -1, count: max(2, types.count * 2).roundedUpToPowerOfTwo)
        for (index, type) in types.enumerated() {
            let place = type.withUnsafeBufferPointer { Self.place(of: $0, in: places, types) }
            if places[place] < 0 { places[place] = index }
        }
        (self.types, self.places) = (types, places)
    }

    /// The index of a type; nil if it is not there.
    @usableFromInline
    subscript(_ type: String) -> Int? {
        let place =
            type.utf8.withContiguousStorageIfAvailable { Self.place(of: $0, in: places, types) }
            ?? placeOfCopy(of: type)
        let index = places[place]
        return index < 0 ? nil : index
    }

    /// The place of a type without contiguous storage. Not a part of the caller, which would retain every type for it.
    @inline(never)
    private func placeOfCopy(of type: String) -> Int {
        Array(type.utf8).withUnsafeBufferPointer { Self.place(of: $0, in: places, types) }
    }

    /// The place where a type stands or would stand.
    private static func place(of type: UnsafeBufferPointer<UInt8>, in places: [Int], _ types: [[UInt8]]) -> Int {
        // The lower bits are good enough for so few types.
        var hash = FNV1a()
        for byte in type { hash.add(byte) }
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: hash.value) & mask
        while places[place] >= 0, !areEqual(types[places[place]], type) { place = (place + 1) & mask }
        return place
    }

    private static func areEqual(_ known: [UInt8], _ type: UnsafeBufferPointer<UInt8>) -> Bool {
        known.withUnsafeBytes { EncodedBaseline.areEqual($0, UnsafeRawBufferPointer(type)) }
    }
}

extension Int {
    fileprivate var roundedUpToPowerOfTwo: Int { 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
