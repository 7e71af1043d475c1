/// A value that can write itself as JSON.
///
/// An implementation writes exactly one value: `json.object { … }`, `json.string(…)` and so on.
public protocol JSONEncodable {
    /// Writes this value, exactly one, where the writer stands.
    func encode(into json: inout JSONWriter)
}

extension JSONEncodable {
    /// The value as compact JSON in UTF-8.
    /// - Parameter capacity: how many bytes to make room for at first.
    @inlinable
    public func encoded(reservingCapacity capacity: Int = 256) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: capacity)
        encode(into: &json)
        return json.finish()
    }
}
