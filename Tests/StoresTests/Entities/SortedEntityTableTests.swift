import Stores
import StoresTesting
import Testing

@Suite struct SortedEntityTableTests {
    private enum ByText: EntityOrder {
        static func areInOrder(_ first: Note, _ second: Note) -> Bool { first.text < second.text }
    }

    private typealias Notes = SortedEntityTable<ByText>

    /// Applies a step to a sorted table, which decides on its order itself: an entity cannot be moved, so `move`
    /// empties the table.
    private func apply(_ step: NoteStep, _ table: inout Notes) {
        switch step {
        case .append(let note), .insert(let note, _): table.insert(note)
        case .upsert(let note): table.upsert(note) { $0.text += $1.text }
        case .update(let id, let text): table.update(id) { $0.text = text }
        case .move, .removeAll: table.removeAll()
        case .remove(let id): table.remove(id)
        case .rename(let id, let new): table.update(id) { $0.id = new }
        case .set(let id, let note): table[id] = note
        case .addMany(let notes): table.addMany(notes)
        case .upsertMany(let notes): table.upsertMany(notes) { $0.text += $1.text }
        case .updateMany(let ids, let text): table.updateMany(ids) { $0.text = text }
        case .removeMany(let ids): table.removeMany(ids)
        case .setAll(let notes): table.setAll(notes)
        }
    }

    private func apply(_ step: NoteStep, _ model: inout NoteModel) {
        if case .move = step { model.notes = [] } else { _ = model.apply(step) }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func staysSortedThroughEveryVerb(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (table, model) = (Notes(), NoteModel())
        for _ in 1...300 {
            let step = NoteStep.random(using: &generator)
            apply(step, &table)
            apply(step, &model)
            #expect(table.map(\.text) == model.notes.map(\.text).sorted(), "\(step)")
            #expect(Set(table.map(\.id)) == Set(model.notes.map(\.id)), "\(step)")
            #expect(model.notes.allSatisfy { table[$0.id] == $0 }, "\(step)")
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func reportsTheNetChangeOfEveryVerb(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = Notes()
        for _ in 1...100 {
            let old = table
            for _ in 1...3 { apply(NoteStep.random(using: &generator), &table) }
            guard let delta = table.changes(since: old.stamp) else { continue }
            var ids = Array(old.ids)
            for index in (delta.removed.map(\.index) + delta.moved.map(\.from)).sorted(by: >) { ids.remove(at: index) }
            let places = delta.inserted.map { ($0.id, $0.index) } + delta.moved.map { ($0.id, $0.to) }
            for (id, index) in places.sorted(by: { $0.1 < $1.1 }) { ids.insert(id, at: index) }
            #expect(ids == Array(table.ids))
            let changed = Set(delta.updated + delta.inserted.map(\.id))
            #expect(table.allSatisfy { old[$0.id] == $0 || changed.contains($0.id) })
        }
    }

    @Test func equalOnesStayInTheOrderInWhichTheyCame() {
        var table: Notes = [Note(3, "b"), Note(1, "a"), Note(2, "b")]
        #expect(table.ids.joined() == "132")
        table.insert(Note(4, "a"))
        #expect(table.ids.joined() == "1432")
        table.update("1") { $0.text = "c" }
        #expect(table.ids.joined() == "4321" && table.index(of: "2") == 2)
        #expect(table.filter { $0.text == "b" } == [Note(3, "b"), Note(2, "b")])
    }

    @Test func aRestoredTableIsSorted() {
        var table: Notes = [Note(1, "a")]
        table.table = [Note(2, "z"), Note(1, "a")]
        #expect(table.ids.joined() == "12")
        let stamp = EntityTable([Note(1, "a"), Note(2, "b")])
        table.table = stamp
        #expect(table.stamp == stamp.stamp)
    }
}
