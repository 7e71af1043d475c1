import Foundation
import JSON
import Testing

/// If both Foundation and this parser accept a document, they agree about its value.
@Suite("Agreement with Foundation")
struct FoundationTests {
    @Test("on documents of every kind", arguments: 0..<10 as Range<UInt64>)
    func agrees(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        for _ in 0..<10 {
            let document = random.object(depth: 3)
            let bytes = document.encoded()
            let read = try #require(Self.read(bytes), "Foundation refuses \(document)")
            #expect(Self.isSame(document, read), "\(document)")
            let written = try JSONSerialization.data(withJSONObject: read, options: [])
            #expect(Self.isSame(try JSONValue(parsing: Array(written)), read))
        }
    }

    @Test("on damaged documents that both accept", arguments: 0..<10 as Range<UInt64>)
    func agreesOnDamaged(seed: UInt64) {
        var random = RandomSource(seed: seed)
        var taken = 0
        for _ in 0..<200 {
            let damaged = random.damage(random.object(depth: 2).encoded())
            guard let value = try? JSONValue(parsing: damaged), let read = Self.read(damaged) else { continue }
            taken += 1
            #expect(Self.isSame(value, read), "\(value)")
        }
        #expect(taken > 0)
    }

    private static func read(_ bytes: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    }

    private static func isSame(_ value: JSONValue, _ other: Any) -> Bool {
        switch value {
        case .null: other is NSNull
        case .bool(let bool): other as? Bool == bool
        case .integer(let integer): (other as? NSNumber)?.int64Value == Int64(integer)
        case .number(let number): isSame(number, other as? NSNumber)
        case .string(let text): (other as? String).map { $0.utf8.elementsEqual(text.utf8) } == true
        case .array(let elements): isSame(elements, other as? [Any])
        case .object(let object): isSame(object, other as? [String: Any])
        }
    }

    /// Foundation parses some numbers as decimals, which are less precise when they are converted to `Double`.
    private static func isSame(_ number: JSONNumber, _ other: NSNumber?) -> Bool {
        guard let other, let double = number.double else { return false }
        return abs(double - other.doubleValue) <= abs(double) * 1e-14
    }

    private static func isSame(_ elements: [JSONValue], _ others: [Any]?) -> Bool {
        guard let others, others.count == elements.count else { return false }
        return zip(elements, others).allSatisfy { isSame($0, $1) }
    }

    /// Foundation merges canonically equivalent names; such objects are not compared.
    private static func isSame(_ object: JSONObject, _ others: [String: Any]?) -> Bool {
        guard let others else { return false }
        guard Set(object.names).count == object.count else { return true }
        return others.count == object.count
            && object.allSatisfy { member in others[member.name].map { isSame(member.value, $0) } == true }
    }
}
