extension JSONObject {
    /// About how many bytes it takes in memory.
    package var byteCount: Int { sum { $0.utf8.count + $1.byteCount + 48 } }
}

extension JSONValue {
    /// About how many bytes it takes in memory, beyond its place in an array or object.
    var byteCount: Int {
        switch self {
        case .null, .bool, .integer: 0
        case .number(let number): number.text.utf8.count
        case .string(let text): text.utf8.count
        case .array(let elements): elements.reduce(0) { $0 + $1.byteCount + 32 }
        case .object(let members): members.byteCount
        }
    }
}
