/// The items of a query in the format of forms and `URLSearchParams`: `name=value` joined by `&`, with `+` for a space
/// and percent-encoding. Items are decoded on access only.
package struct QueryItems: Sendable, Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var index: Int
    private let end: Int

    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    /// Whether the query is missing or empty.
    package var isEmpty: Bool { index == end }

    /// The value of the first item of this name, empty if it has no value; nil if there is no such item.
    package func first(_ name: String) -> String? {
        var items = self
        while let (itemName, value) = items.nextRanges() {
            if bytes[itemName].elementsEqual(name.utf8) || string(itemName) == name { return string(value) }
        }
        return nil
    }

    package mutating func next() -> (name: String, value: String)? {
        nextRanges().map { (name: string($0.name), value: string($0.value)) }
    }

    /// The name of the next item, without decoding its value.
    package mutating func nextName() -> String? { nextRanges().map { string($0.name) } }

    private mutating func nextRanges() -> (name: Range<Int>, value: Range<Int>)? {
        while index < end {
            let start = index
            var equals: Int?
            while index < end, bytes[index] != ASCII.ampersand {
                if equals == nil, bytes[index] == ASCII.equals { equals = index }
                index += 1
            }
            let stop = index
            if index < end { index += 1 }
            if start == stop { continue }
            return (start..<(equals ?? stop), equals.map { ($0 + 1)..<stop } ?? stop..<stop)
        }
        return nil
    }

    private func string(_ range: Range<Int>) -> String { PercentEncoding.string(bytes[range], plusIsSpace: true) }
}
