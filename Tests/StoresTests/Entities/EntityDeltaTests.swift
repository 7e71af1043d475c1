import Stores
import StoresTesting
import Testing

@Suite struct EntityDeltaTests {
    /// Brings an old list of notes up to date as the documentation of the delta says.
    private func bring(_ old: [Note], by delta: EntityDelta<String>, to table: EntityTable<Note>) -> [Note] {
        var notes = old
        for id in delta.updated {
            guard let place = notes.firstIndex(where: { $0.id == id }), let note = table[id] else { continue }
            notes[place] = note
        }
        for index in (delta.removed.map(\.index) + delta.moved.map(\.from)).sorted(by: >) { notes.remove(at: index) }
        let places = delta.inserted.map { ($0.id, $0.index) } + delta.moved.map { ($0.id, $0.to) }
        for (id, index) in places.sorted(by: { $0.1 < $1.1 }) {
            // A moved note keeps the value that it had, unless it was updated.
            let isOld = old.contains { $0.id == id } && !delta.updated.contains(id)
            guard let note = isOld ? old.first(where: { $0.id == id }) : table[id] else { continue }
            notes.insert(note, at: index)
        }
        return notes
    }

    /// Whether each id stands once, where it belongs, at its places in both tables.
    private func isNormal(_ delta: EntityDelta<String>, _ old: EntityTable<Note>, _ new: EntityTable<Note>) -> Bool {
        let placed = delta.removed.map(\.id) + delta.inserted.map(\.id) + delta.moved.map(\.id)
        return Set(placed).count == placed.count && Set(delta.updated).count == delta.updated.count
            && delta.updated.allSatisfy { old.contains($0) && new.contains($0) }
            && delta.removed.allSatisfy { old.ids[$0.index] == $0.id && !new.contains($0.id) }
            && delta.inserted.allSatisfy { new.ids[$0.index] == $0.id && !old.contains($0.id) }
            && delta.moved.allSatisfy { old.ids[$0.from] == $0.id && new.ids[$0.to] == $0.id }
            && isSorted(delta.removed.map(\.index)) && isSorted(delta.inserted.map(\.index))
            && isSorted(delta.moved.map(\.to))
    }

    private func isSorted(_ indices: [Int]) -> Bool { indices == indices.sorted() }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func bringsEveryOldTableUpToDate(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var unknown = 0
        for _ in 1...50 {
            var table = EntityTable<Note>()
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                _ = NoteStep.random(using: &generator).apply(to: &table)
            }
            let old = table
            for _ in 0..<Int.random(in: 0...16, using: &generator) {
                _ = NoteStep.random(using: &generator).apply(to: &table)
            }
            // Only `setAll` in another order is not recorded.
            guard let delta = table.changes(since: old.stamp) else {
                unknown += 1
                continue
            }
            #expect(bring(Array(old.ordered), by: delta, to: table) == Array(table.ordered), "\(delta)")
            #expect(isNormal(delta, old, table), "\(delta)")
        }
        #expect(unknown < 40)
    }

    private static let changes: [([NoteStep], String)] = [
        ([], ""),
        ([.move("2", to: 1)], ""),
        ([.remove("9")], ""),
        ([.append(Note(1))], ""),
        ([.update("2", "a")], "updated 2"),
        ([.upsert(Note(2, "a")), .update("2", "b")], "updated 2"),
        ([.upsert(Note(5))], "inserted 5@4"),
        ([.append(Note(5)), .update("5", "a")], "inserted 5@4"),
        ([.append(Note(5)), .move("5", to: 1)], "inserted 5@1"),
        ([.insert(Note(5), at: 0), .remove("5")], ""),
        ([.remove("1")], "removed 1@0"),
        ([.update("1", "a"), .move("1", to: 3), .remove("1")], "removed 1@0"),
        ([.remove("2"), .remove("1")], "removed 1@0 2@1"),
        ([.move("1", to: 3)], "moved 1@0-3"),
        ([.move("1", to: 3), .move("1", to: 0)], ""),
        ([.move("1", to: 3), .update("1", "a")], "moved 1@0-3 updated 1"),
        ([.remove("1"), .append(Note(1, "a"))], "moved 1@0-3 updated 1"),
        ([.remove("1"), .insert(Note(1, "a"), at: 0)], "updated 1"),
        ([.remove("2"), .insert(Note(5), at: 1)], "removed 2@1 inserted 5@1"),
        ([.rename("2", to: "5")], "removed 2@1 inserted 5@1"),
        ([.rename("3", to: "1")], "removed 3@2 moved 1@0-1 updated 1"),
        ([.addMany([Note(5), Note(1), Note(6)])], "inserted 5@4 6@5"),
        ([.upsertMany([Note(5), Note(1, "a")])], "inserted 5@4 updated 1"),
        ([.updateMany(["1", "9", "3"], "a")], "updated 1 3"),
        ([.removeMany(["4", "1", "9"])], "removed 1@0 4@3"),
        ([.removeAll], "removed 1@0 2@1 3@2 4@3"),
        ([.setAll([Note(1), Note(2), Note(3), Note(4)])], ""),
        ([.setAll([Note(0), Note(1), Note(3, "a"), Note(4)])], "removed 2@1 inserted 0@0 updated 3"),
    ]

    @Test(arguments: changes)
    func reportsTheNetChange(_ steps: [NoteStep], _ expected: String) throws {
        let old = EntityTable((1...4).map { Note($0) })
        var table = old
        for step in steps { _ = step.apply(to: &table) }
        let delta = try #require(table.changes(since: old.stamp))
        #expect(text(delta) == expected)
        #expect(delta.isEmpty == expected.isEmpty)
    }

    private func text(_ delta: EntityDelta<String>) -> String {
        [
            ("removed", delta.removed.map { "\($0.id)@\($0.index)" }),
            ("inserted", delta.inserted.map { "\($0.id)@\($0.index)" }),
            ("moved", delta.moved.map { "\($0.id)@\($0.from)-\($0.to)" }),
            ("updated", delta.updated),
        ].filter { !$0.1.isEmpty }.map { ([$0] + $1).joined(separator: " ") }.joined(separator: " ")
    }

    @Test func reportsChangesSinceTheEmptyTable() throws {
        var table = EntityTable<Note>()
        let before = table.stamp
        table.insert(Note(1))
        #expect(try #require(table.changes(since: before)).inserted.map(\.id) == ["1"])
    }

    @Test func knowsNoOtherAndNoLaterTable() {
        let old = EntityTable([Note(1)])
        var (one, other) = (old, old)
        one.insert(Note(2))
        other.insert(Note(2))
        #expect(one.changes(since: other.stamp) == nil)
        #expect(old.changes(since: one.stamp) == nil)
        #expect(one.changes(since: old.stamp) != nil)
        #expect(EntityTable<Note>().changes(since: old.stamp) == nil)
    }

    @Test func aChangeOfManyEntitiesIsOneVersion() throws {
        var table = EntityTable((0..<100).map { Note($0) })
        let before = table.stamp
        table.updateMany(table.ids) { $0.text = "all" }
        for step in 1...15 { table.update("1") { $0.text = "\(step)" } }
        #expect(try #require(table.changes(since: before)).updated.count == 100)
        // A version of more entities than the log holds is not recorded.
        table.addMany((100..<2000).map { Note($0) })
        #expect(table.changes(since: before) == nil)
        let later = table.stamp
        table.removeMany(["1", "2"])
        #expect(try #require(table.changes(since: later)).removed.map(\.id) == ["1", "2"])
    }

    @Test func anUnknownOrderIsNotReported() {
        var table = EntityTable([Note(1), Note(2)])
        let before = table.stamp
        table.setAll([Note(2), Note(1)])
        #expect(Array(table.ids) == ["2", "1"])
        #expect(table.changes(since: before) == nil)
    }

    @Test func reachesBackSixteenChangesAtLeastAndABoundedNumberAtMost() {
        var table = EntityTable([Note(1)])
        var stamps: [ChangeToken] = []
        for step in 1...200 {
            stamps.append(table.stamp)
            table.update("1") { $0.text = "\(step)" }
            #expect(stamps.suffix(16).allSatisfy { table.changes(since: $0)?.updated == ["1"] })
            #expect(stamps.dropLast(32).allSatisfy { table.changes(since: $0) == nil })
        }
    }
}
