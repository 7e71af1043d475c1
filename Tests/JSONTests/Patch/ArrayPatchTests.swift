import JSON
import Testing

/// Patches of arrays stay as small as what was done to them.
@Suite("Patch of an array")
struct ArrayPatchTests {
    private func patch(_ old: [JSONValue], _ new: [JSONValue]) throws -> JSONPatch {
        let patch = JSONPatch(from: .array(old), to: .array(new))
        var value = JSONValue.array(old)
        try patch.apply(to: &value)
        #expect(value == .array(new))
        return patch
    }

    private func place(_ index: Int) -> JSONPointer { JSONPointer(tokens: [String(index)]) }

    private let numbers = (0..<10_000).map { JSONValue.integer($0) }

    @Test("removes two elements of ten thousand by two operations")
    func removesTwo() throws {
        var new = numbers
        new.remove(at: 9000)
        new.remove(at: 100)
        #expect(try patch(numbers, new).operations == [.remove(place(9000)), .remove(place(100))])
    }

    @Test("finds removed elements among repeated ones")
    func removesRepeatedElements() throws {
        let flags = (0..<10_000).map { JSONValue.bool($0.isMultiple(of: 3)) }
        var new = flags
        new.remove(at: 9001)
        new.remove(at: 100)
        #expect(try patch(flags, new).operations.count == 2)
    }

    @Test("removes more elements than are searched for one by one")
    func removesMany() throws {
        let new = numbers.enumerated().filter { $0.offset % 20 != 7 }.map(\.element)
        #expect(try patch(numbers, new).operations.count == 500)
    }

    @Test("replaces elements in place, however many")
    func replacesInPlace() throws {
        var new = numbers
        for index in stride(from: 0, to: 10_000, by: 50) { new[index] = "x" }
        #expect(try patch(numbers, new).operations.count == 200)
    }

    @Test("moves an element in both directions", arguments: [(10, 9000), (9000, 10), (0, 9999), (9999, 0)])
    func moves(from: Int, to: Int) throws {
        var new = numbers
        new.insert(new.remove(at: from), at: to)
        #expect(try patch(numbers, new).operations == [.move(from: place(from), to: place(to))])
    }

    @Test("moves, changes, removes and inserts at once")
    func mixes() throws {
        let old = (0..<1000).map { ["id": .integer($0), "text": "some longer text"] as JSONValue }
        var new = old
        new.swapAt(5, 900)
        new.remove(at: 300)
        new[400] = ["id": new[400]["id"] ?? .null, "text": "another"]
        new.insert(["id": 5000, "text": "new"], at: 0)
        let patch = try patch(old, new)
        #expect(patch.operations.count == 5)
    }

    @Test("shuffled elements are moved one after the other", arguments: 0..<30 as Range<UInt64>)
    func shuffles(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let old = (0..<40).map { JSONValue.string("a text that is longer than a move, number \($0)") }
        var new = old.shuffled(using: &random)
        new.removeSubrange(0..<Int.random(in: 0...5, using: &random))
        new.insert("new", at: Int.random(in: 0...new.count, using: &random))
        // One operation for each element at most, and one for the new one.
        #expect(try patch(old, new).operations.count <= 41)
    }

    @Test("a reversed array of any length is moved or replaced", arguments: [2, 3, 600, 3000])
    func reverses(count: Int) throws {
        let old = numbers.prefix(count)
        _ = try patch(Array(old), old.reversed())
    }

    /// Each pair is small, so that every case of two and three elements occurs. Another implementation applies the patch.
    @Test("is understood by another implementation", arguments: 0..<20 as Range<UInt64>)
    func isUnderstood(seed: UInt64) throws {
        var random = RandomSource(seed: seed &+ 1000)
        for _ in 0..<250 {
            let old = random.list(depth: 2)
            let new = Bool.random(using: &random) ? random.list(depth: 2) : random.changed(random.changed(old))
            let patch = JSONPatch(from: old, to: new).encoded()
            let patched = try PlainPatch.applying(patch, to: old.encoded())
            let expected = try PlainPatch.text(of: new.encoded())
            #expect(patched == expected, "\(old) \(new)")
        }
    }
}

extension RandomSource {
    /// Arrays and objects of few different values, which recur.
    fileprivate mutating func list(depth: Int) -> JSONValue {
        let count = Int.random(in: 0...7, using: &self)
        func part(_ random: inout RandomSource) -> JSONValue {
            let isDeep = depth > 0 && Int.random(in: 0..<3, using: &random) == 0
            return isDeep ? random.list(depth: depth - 1) : .integer(.random(in: 0...4, using: &random))
        }
        switch Int.random(in: 0..<3, using: &self) {
        case 0: return .array((0..<count).map { _ in part(&self) })
        case 1:
            let ids = (0..<count).map { _ in JSONValue.integer(.random(in: 0...9, using: &self)) }
            return .array(ids.map { ["id": $0, "x": part(&self)] })
        default:
            let names = (0..<count).map { _ in ["a", "b", "c/d", "~"].randomElement(using: &self) ?? "" }
            return .object(JSONObject(names.map { ($0, part(&self)) }))
        }
    }
}
