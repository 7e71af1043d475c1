import StoresTesting
import Testing

@Suite struct DifferenceTests {
    private struct Counter: Equatable { var count = 1 }

    private enum Phase: Equatable {
        case idle
        case loading(progress: Int)
        case loaded(name: String, size: Int)
        indirect case after(Phase)
    }

    private struct Whole: Equatable {
        var counter = Counter()
        var phase = Phase.idle
        var names = ["a", "b", "c"]
        var entities = [1: Counter(), 2: Counter(), 10: Counter()]
        var tags: Set = ["x", "y"]
        var note: String?
        var pair = (left: 1, right: 2)

        static func == (first: Whole, second: Whole) -> Bool {
            first.counter == second.counter && first.phase == second.phase && first.names == second.names
                && first.entities == second.entities && first.tags == second.tags && first.note == second.note
                && first.pair == second.pair
        }
    }

    private func lines(_ change: (inout Whole) -> Void) -> [String] {
        var found = Whole()
        change(&found)
        return difference(between: Whole(), and: found).split(separator: "\n").map(String.init)
    }

    @Test func equalValuesHaveNone() {
        #expect(lines { _ in } == [])
        #expect(difference(between: 1, and: 1) == "")
    }

    @Test func eachDifferentPathHasALine() {
        #expect(lines { $0.counter.count = 2 } == ["counter.count: 1 → 2"])
        #expect(
            lines { whole in
                whole.names[1] = "B"
                whole.note = "n"
                whole.pair.right = 3
            } == [#"names[1]: "b" → "B""#, #"note: nil → "n""#, "pair.right: 2 → 3"])
        #expect(difference(between: 1, and: 2) == "1 → 2")
    }

    @Test func casesAreComparedByTheirPayloads() {
        #expect(lines { $0.phase = .loading(progress: 1) } == ["phase: idle → loading(progress: 1)"])
        #expect(
            difference(between: Phase.loading(progress: 1), and: .loading(progress: 2)) == "loading.progress: 1 → 2")
        let (small, large) = (Phase.loaded(name: "a", size: 1), Phase.loaded(name: "a", size: 2))
        #expect(difference(between: small, and: large) == "loaded.size: 1 → 2")
        #expect(difference(between: Phase.after(small), and: .after(large)) == "after.loaded.size: 1 → 2")
    }

    @Test func anElementThatOnlyOneHasStandsAgainstNothing() {
        #expect(lines { $0.names.append("d") } == [#"names[3]: nothing → "d""#])
        #expect(lines { $0.names.removeFirst() } == [#"names[0]: "a" → nothing"#])
        #expect(lines { $0.names.insert("z", at: 1) } == [#"names[1]: nothing → "z""#])
        #expect(lines { $0.names = [] }.count == 3)
        #expect(difference(between: ["a", "a"], and: ["a"]) == #"[1]: "a" → nothing"#)
    }

    @Test func unorderedCollectionsAreComparedByContentInOneOrder() {
        #expect(
            lines { whole in
                whole.entities[10]?.count = 5
                whole.entities[2] = nil
                whole.entities[3] = Counter(count: 3)
                whole.tags = ["y", "w", "z"]
            } == [
                "entities[2]: Counter(count: 1) → nothing", "entities[3]: nothing → Counter(count: 3)",
                "entities[10].count: 1 → 5", #"tags["w"]: nothing → "w""#, #"tags["x"]: "x" → nothing"#,
                #"tags["z"]: nothing → "z""#,
            ])
        let (some, others): (Set, Set) = ([1, 2, 3], [3, 2, 1, 4])
        #expect(difference(between: [some], and: [some, others]) == "[1]: nothing → [1, 2, 3, 4]")
    }

    @Test func whatHidesItselfIsShownAsItDescribesItself() {
        struct Hidden: Equatable, CustomStringConvertible, CustomReflectable {
            var secret: String
            var description: String { "***" }
            var customMirror: Mirror { Mirror(self, children: []) }
        }
        let found = difference(between: [Hidden(secret: "a")], and: [Hidden(secret: "b")])
        #expect(found == "[0]: *** → *** (unequal, though they look the same)")
    }

    @Test func unequalValuesWithEqualPartsAreDescribed() {
        struct Odd: Equatable {
            var part = 1
            static func == (first: Odd, second: Odd) -> Bool { false }
        }
        let found = difference(between: Odd(), and: Odd())
        #expect(found == "Odd(part: 1) → Odd(part: 1) (unequal, though they look the same)")
        #expect(difference(between: Double.nan, and: .nan).hasPrefix("nan → nan"))
    }

    @Test func valuesWithoutEqualityAreComparedByTheirParts() {
        class Base { var first = 1 }
        final class Derived: Base {
            var second: Any
            init(_ second: Any) { self.second = second }
        }
        #expect(difference(between: Derived(1), and: Derived(1)) == "")
        #expect(difference(between: Derived(1), and: Derived(2)) == "second: 1 → 2")
        #expect(difference(between: Derived(1), and: Derived("1")) == #"second: 1 → "1""#)
        #expect(difference(between: (1, 2), and: (1, 3)) == ".1: 2 → 3")
        let shorter = difference(between: [Derived(1), Derived(2)], and: [Derived(2)])
        #expect(shorter == "[0]: Derived(second: 1) → nothing")
    }

    @Test func isBounded() {
        final class Ring {
            var number: Int
            var next: Ring?
            init(_ number: Int) {
                self.number = number
                next = self
            }
        }
        let ring = difference(between: Ring(1), and: Ring(2)).split(separator: "\n")
        #expect(ring.first == "number: 1 → 2")
        #expect(ring.count < 22)
        let many = difference(between: Array(1...1000), and: Array(repeating: 0, count: 1000)).split(separator: "\n")
        #expect(many.count == 21)
        #expect(many.last == "…")
        let long = String(repeating: "word ", count: 100)
        let cut = difference(between: long + "one", and: long + "two" + long)
        #expect(cut.contains("one\" → "))
        #expect(cut.count < 220)
        #expect(difference(between: [], and: [Array(1...1000)]).hasSuffix("19, 20, …]"))
    }
}
