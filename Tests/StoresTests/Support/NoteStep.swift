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

    static let ids = (1...9).map(String.init)

    static func random(using generator: inout SeededGenerator) -> NoteStep {
        let id = Int.random(in: 1...9, using: &generator)
        let index = Int.random(in: -2...11, using: &generator)
        let note = Note(id, "\(generator.next() % 1000)")
        return switch Int.random(in: 0...5, using: &generator) {
        case 0: .append(note)
        case 1: .insert(note, at: index)
        case 2: .update(note.id, note.text)
        case 3: .upsert(note)
        case 4: .move(note.id, to: index)
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
        }
    }
}
