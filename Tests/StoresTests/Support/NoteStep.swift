import Stores
import StoresTesting

/// One operation on a table of notes.
enum NoteStep {
    case append(Note)
    case insert(Note, at: Int)
    case update(String, String)
    case upsert(Note)
    case move(String, to: Int)
    case remove(String)
    case rename(String, to: String)
    case set(String, Note?)
    case addMany([Note])
    case upsertMany([Note])
    case updateMany([String], String)
    case removeMany([String])
    case removeAll
    case setAll([Note])

    static let ids = (1...9).map(String.init)

    static func random(using generator: inout SeededGenerator) -> NoteStep {
        let id = Int.random(in: 1...9, using: &generator)
        let index = Int.random(in: -2...11, using: &generator)
        let note = Note(id, "\(generator.next() % 1000)")
        let notes = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            Note(.random(in: 1...9, using: &generator), "\(generator.next() % 3)")
        }
        return switch Int.random(in: 0...14, using: &generator) {
        case 0: .append(note)
        case 1: .insert(note, at: index)
        case 2: .update(note.id, note.text)
        case 3: .upsert(note)
        case 4: .move(note.id, to: index)
        case 5: .rename(note.id, to: "\(Int.random(in: 1...9, using: &generator))")
        case 6: .set(note.id, Bool.random(using: &generator) ? note : nil)
        case 7: .set(note.id, notes.first)
        case 8: .addMany(notes)
        case 9: .upsertMany(notes)
        case 10: .updateMany(notes.map(\.id), note.text)
        case 11: .removeMany(notes.map(\.id))
        case 12: Int.random(in: 0...3, using: &generator) == 0 ? .removeAll : .remove(note.id)
        case 13: .setAll(notes)
        default: .remove(note.id)
        }
    }

    /// The result: whether the operation had something to do. For an upsert, whether the note is new.
    func apply(to table: inout EntityTable<Note>) -> Bool {
        switch self {
        case .append(let note): table.insert(note)
        case .insert(let note, let index): table.insert(note, at: index)
        case .update(let id, let text): table.update(id) { $0.text = text }
        case .upsert(let note): table.upsert(note) { $0.text += $1.text }
        case .move(let id, let index): table.move(id, to: index)
        case .remove(let id): table.remove(id) != nil
        case .rename(let id, let new): table.update(id) { $0.id = new }
        case .addMany(let notes): table.addMany(notes) > 0
        case .upsertMany(let notes): table.upsertMany(notes) { $0.text += $1.text } > 0
        case .updateMany(let ids, let text): table.updateMany(ids) { $0.text = text } > 0
        case .removeMany(let ids): table.removeMany(ids) > 0
        case .set, .removeAll, .setAll: applySilently(to: &table)
        }
    }

    /// An operation without a result.
    private func applySilently(to table: inout EntityTable<Note>) -> Bool {
        switch self {
        case .set(let id, let note): table[id] = note
        case .setAll(let notes): table.setAll(notes)
        default: table.removeAll()
        }
        return true
    }
}
