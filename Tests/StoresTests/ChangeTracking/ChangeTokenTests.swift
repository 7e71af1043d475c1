import Stores
import Testing

@Suite struct ChangeTokenTests {
    @Test func areNeverTheSameTwice() async {
        let stamps = await withTaskGroup(of: [ChangeToken].self) { group in
            for _ in 1...8 { group.addTask { (1...5000).map { _ in ChangeToken() } } }
            return await group.reduce(into: Set()) { $0.formUnion($1) }
        }
        #expect(stamps.count == 40_000)
    }

    @Test func changeWithTheValueOnly() {
        var part = Part()
        let (numbers, text) = (part.$numbers, part.$text)
        #expect(part.numbers == [1, 2])
        #expect(part.$numbers == numbers)
        part.numbers.append(3)
        #expect(part.numbers == [1, 2, 3])
        #expect(part.$numbers != numbers)
        #expect(part.$text == text)
        part.text = "b"
        #expect(part.$text != text)
    }

    @Test func stayApartFromOnesThatAnUndoBringsBack() {
        var part = Part()
        var seen = [part.$numbers]
        let old = part
        part.numbers.append(3)
        seen.append(part.$numbers)
        part = old
        #expect(part.$numbers == seen[0])
        part.numbers.append(4)
        #expect(!seen.contains(part.$numbers))
    }

    @Test func compareByValueWhereTheyDiffer() {
        var (one, other) = (Part(), Part())
        #expect(one.$numbers != other.$numbers)
        #expect(one == other)
        one.numbers[0] = 5
        #expect(one != other)
        other.numbers[0] = 5
        #expect(one == other)
    }

    @Test func equalTokensAvoidTheComparison() {
        // A number that is not equal to itself tells whether anybody compared it.
        let stamped = Tracked(wrappedValue: Double.nan)
        #expect(stamped == stamped)
        #expect(stamped != Tracked(wrappedValue: Double.nan))
    }

    @Test func changeInPlace() {
        var part = Part()
        part.numbers = Array(1...1000)
        let address = part.numbers.withUnsafeBufferPointer(\.baseAddress)
        for index in 0..<1000 { part.numbers[index] += 1 }
        #expect(part.numbers.withUnsafeBufferPointer(\.baseAddress) == address)
    }

    @Test func lookTheSameOfATableAndOfAPart() {
        func hasChanged(_ value: some ChangeTracked, since stamp: ChangeToken) -> Bool { value.stamp != stamp }
        var table = EntityTable([Note(1)])
        let stamp = table.stamp
        #expect(!hasChanged(table, since: stamp))
        table.update("1") { $0.text = "a" }
        #expect(hasChanged(table, since: stamp))
        #expect(hasChanged(Tracked(wrappedValue: 1), since: stamp))
    }
}

private struct Part: Equatable {
    @Tracked var numbers = [1, 2]
    @Tracked var text = "a"
}
