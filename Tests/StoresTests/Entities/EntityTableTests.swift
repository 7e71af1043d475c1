import Foundation
import Stores
import StoresTesting
import Testing

@Suite struct EntityTableTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func behavesLikeAnArrayOfEntities(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = EntityTable<Note>()
        var model = NoteModel()
        for _ in 1...300 {
            let step = NoteStep.random(using: &generator)
            #expect(step.apply(to: &table) == model.apply(step), "\(step)")
            #expect(isSame(table, model.notes), "\(step)")
        }
    }

    private func isSame(_ table: EntityTable<Note>, _ notes: [Note]) -> Bool {
        Array(table.ordered) == notes && Array(table.ids) == notes.map(\.id)
            && table.count == notes.count && table.isEmpty == notes.isEmpty && table == EntityTable(notes)
            && NoteStep.ids.allSatisfy { id in
                table[id] == notes.first { $0.id == id } && table.contains(id) == (table[id] != nil)
            }
    }

    @Test(arguments: [31, 32, 33, 64, 100])
    func findsEveryPlaceInALargerTable(_ size: Int) {
        var generator = SeededGenerator(seed: UInt64(size))
        var notes = (0..<size).map { Note($0) }
        var table = EntityTable(notes)
        while let note = notes.randomElement(using: &generator) {
            let other = notes.remove(at: Int.random(in: notes.indices, using: &generator))
            let index = Int.random(in: 0...notes.count, using: &generator)
            notes.insert(other, at: index)
            table.move(other.id, to: index)
            notes.removeAll { $0.id == note.id }
            table.remove(note.id)
            #expect(table.ids.elementsEqual(notes.map(\.id)))
        }
        #expect(table.isEmpty)
    }

    @Test(arguments: [(Int.min, "312"), (0, "312"), (1, "132"), (2, "123"), (.max, "123")])
    func movesAndInsertsWithinBounds(_ index: Int, _ ids: String) {
        var table = EntityTable([1, 2, 3].map { Note($0) })
        let isMoved = table.move("3", to: index)
        #expect(isMoved)
        #expect(table.ids.joined() == ids)
        table = EntityTable([1, 2].map { Note($0) })
        let isInserted = table.insert(Note(3), at: index)
        #expect(isInserted)
        #expect(table.ids.joined() == ids)
    }

    @Test func leavesOutALaterEntityWithAnIDThatIsThere() {
        var table = EntityTable([Note(1, "a"), Note(2, "b"), Note(1, "c")])
        #expect(Array(table.ordered) == [Note(1, "a"), Note(2, "b")])
        let before = table.stamp
        let isInserted = table.insert(Note(2, "d"))
        #expect(!isInserted)
        #expect(table["2"] == Note(2, "b"))
        #expect(table.stamp == before)
    }

    @Test func upsertMergesOrAdds() {
        var table = EntityTable([Note(1, "a"), Note(2, "b")])
        let isNew = table.upsert(Note(1, "c")) { standing, new in standing.text += new.text }
        #expect(!isNew)
        #expect(Array(table.ordered) == [Note(1, "ac"), Note(2, "b")])
        let isNewToo = table.upsert(Note(3, "d")) { standing, new in standing.text += new.text }
        #expect(isNewToo)
        table.upsert(Note(2, "e"))
        #expect(Array(table.ordered) == [Note(1, "ac"), Note(2, "e"), Note(3, "d")])
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func insertsInSortedOrder(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = EntityTable<Note>()
        var byComparison = EntityTable<Note>()
        var notes: [Note] = []
        for id in 1...60 {
            let note = Note(id, "\(Int.random(in: 10...30, using: &generator))")
            notes.append(note)
            table.insert(note, sortedBy: \.text)
            byComparison.insert(note) { $0.text > $1.text }
        }
        // `sort` is stable: equal ones stay in the order in which they came.
        #expect(Array(table.ordered) == notes.sorted { $0.text < $1.text })
        #expect(Array(byComparison.ordered) == notes.sorted { $0.text > $1.text })
    }

    @Test func insertsNothingInOrderUnderAnIDThatIsThere() {
        var table = EntityTable([Note(1, "a"), Note(2, "b")])
        let isInserted = table.insert(Note(1, "z"), sortedBy: \.text)
        #expect(!isInserted)
        #expect(Array(table.ordered) == [Note(1, "a"), Note(2, "b")])
    }

    @Test func isEqualHoweverItCameToItsEntities() {
        var table = EntityTable([Note(1), Note(2), Note(3)])
        table.move("1", to: 2)
        table.remove("3")
        let other = EntityTable([Note(2), Note(1)])
        #expect(table == other)
        #expect(table.stamp != other.stamp)
        table.update("1") { $0.text = "changed" }
        #expect(table != other)
        #expect(EntityTable([Note(1), Note(2)]) != other)
        #expect(EntityTable([Note(2)]) != other)
    }

    /// A copy of a thousand buffers would show as another address of the one that is watched.
    @Test func changesInPlace() {
        var table = EntityTable((1...1000).map { Bulk(id: $0, numbers: [1, 2, 3]) })
        func address() -> UnsafeRawPointer? {
            table[500].flatMap { $0.numbers.withUnsafeBytes(\.baseAddress) }
        }
        let before = address()
        for step in 1...100 {
            table.update(500) { $0.numbers[0] = step }
            table.move(500, to: step)
            table.remove(1000 - step)
        }
        #expect(address() == before)
        #expect(table[500]?.numbers == [100, 2, 3])
    }

    @Test func anIDThatIsTakenIsReplaced() {
        var table: EntityTable = [Note(1, "a"), Note(2, "b"), Note(3, "c")]
        let isUpdated = table.update("2") { $0.id = "3" }
        #expect(isUpdated)
        #expect(Array(table) == [Note(1, "a"), Note(3, "b")])
        #expect(table["2"] == nil && table["3"]?.text == "b" && !table.contains("2"))
        table["1"]?.id = "7"
        #expect(table.ids.joined() == "73")
    }

    @Test func setAllTakesTheLastOfEntitiesWithTheSameID() {
        var table: EntityTable = [Note(9)]
        table.setAll([Note(1, "a"), Note(2, "b"), Note(1, "c")])
        #expect(Array(table) == [Note(1, "c"), Note(2, "b")])
    }

    @Test func isASequence() {
        var table: EntityTable = [Note(1, "a"), Note(2, "b"), Note(1, "c"), Note(3, "b")]
        #expect(table.map(\.id) == ["1", "2", "3"])
        #expect(table.first { $0.text == "b" }?.id == "2")
        let filtered: EntityTable = table.filter { $0.text == "b" }
        #expect(filtered == [Note(2, "b"), Note(3, "b")])
        #expect(table.index(of: "3") == 2 && table.index(of: "4") == nil)
        table["4"] = Note(4)
        table["1"] = nil
        table["2"]?.text = "z"
        #expect(table == [Note(2, "z"), Note(3, "b"), Note(4)])
        #expect(Set(table.map(\.id)).count == 3)
    }

    /// Editing must not walk over the table. A walk would be slower by a factor of a hundred.
    @Test func anEditCostsTheSameAtAnySize() {
        struct Tables {
            var table: EntityTable<Bulk>
            var sorted: SortedEntityTable<ByID>

            init(_ size: Int) {
                table = EntityTable((0..<size).map { Bulk(id: $0, numbers: [1]) })
                sorted = SortedEntityTable<ByID>(table)
            }

            /// Nanoseconds of CPU on this thread.
            mutating func timeOfEdits() -> UInt64 {
                let start = threadTime()
                for step in 0..<200 {
                    table.update(step) { $0.numbers[0] += 1 }
                    table.updateMany([step]) { $0.numbers[0] += 1 }
                    sorted.update(step) { $0.numbers[0] += 1 }
                }
                return threadTime() - start
            }
        }
        var (small, large) = (Tables(1000), Tables(100_000))
        var (shortest, longest) = (UInt64.max / 20, UInt64.max)
        // Whatever else the machine does can make a run longer and not shorter, so more runs acquit no walk.
        for _ in 0..<20 where longest >= 20 * shortest {
            for _ in 0..<4 { shortest = min(shortest, small.timeOfEdits()) }
            longest = min(longest, large.timeOfEdits())
        }
        #expect(longest < 20 * shortest)
    }

    @Test func anEmptyTableTakesFewWords() {
        #expect(MemoryLayout<EntityTable<Note>>.size <= 5 * MemoryLayout<Int>.size)
    }
}

/// The CPU time of this thread in nanoseconds.
private func threadTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

private enum ByID: EntityOrder {
    static func areInOrder(_ first: Bulk, _ second: Bulk) -> Bool { first.id < second.id }
}

private struct Bulk: Identifiable, Sendable {
    let id: Int
    var numbers: [Int]
}
