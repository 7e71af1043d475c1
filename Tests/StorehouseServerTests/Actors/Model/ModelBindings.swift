import JSON

/// The values that the server chooses, such as ids and times. The model names each value, and expects the same value wherever its name
/// occurs.
struct ModelBindings: Sendable {
    private static let idMark = "$id "
    private static let timeMark = "$time "

    static func id(_ number: Int) -> String { "\(idMark)\(number)" }
    static func time(_ number: Int) -> JSONValue { .string("\(timeMark)\(number)") }

    private var ids: [String: String] = [:]
    private var times: [Int: Int] = [:]

    /// Whether a value is as expected.
    mutating func match(_ expected: JSONValue, _ found: JSONValue?) -> Bool {
        guard let found else { return false }
        switch expected {
        case .string(let text) where text.hasPrefix(Self.idMark): return matchID(text, found.asString)
        case .string(let text) where text.hasPrefix(Self.timeMark):
            return matchTime(Int(text.dropFirst(Self.timeMark.count)) ?? 0, found.asInteger)
        case .array(let elements):
            guard let others = found.asArray, others.count == elements.count else { return false }
            for (element, other) in zip(elements, others) where !match(element, other) { return false }
            return true
        case .object(let object):
            guard let other = found.asObject, other.count == object.count else { return false }
            for name in object.names where !match(object[name] ?? .null, other[name]) { return false }
            return true
        default: return expected == found
        }
    }

    private mutating func matchID(_ name: String, _ text: String?) -> Bool {
        guard let text else { return false }
        if let known = ids[name] { return known == text }
        guard text.wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil, !ids.values.contains(text) else { return false }
        ids[name] = text
        return true
    }

    /// Time never goes back.
    private mutating func matchTime(_ number: Int, _ time: Int?) -> Bool {
        guard let time else { return false }
        if let known = times[number] { return known == time }
        guard time > 1_700_000_000_000, times.allSatisfy({ $0.key < number ? $0.value <= time : $0.value >= time })
        else { return false }
        times[number] = time
        return true
    }
}
