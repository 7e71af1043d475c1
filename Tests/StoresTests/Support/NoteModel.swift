/// A model of a table of notes: a plain array.
struct NoteModel {
    var notes: [Note] = []

    mutating func apply(_ step: NoteStep) -> Bool {
        switch step {
        case .append(let note): return insert(note, at: notes.count)
        case .insert(let note, let index): return insert(note, at: index)
        case .upsert(let note):
            if insert(note, at: notes.count) { return true }
            if let place = place(of: note.id) { notes[place].text += note.text }
            return false
        case .update(let id, let text):
            guard let place = place(of: id) else { return false }
            notes[place].text = text
        case .move(let id, let index):
            guard let place = place(of: id) else { return false }
            insert(notes.remove(at: place), at: index)
        case .remove(let id):
            guard let place = place(of: id) else { return false }
            notes.remove(at: place)
        }
        return true
    }

    @discardableResult
    private mutating func insert(_ note: Note, at index: Int) -> Bool {
        guard !notes.contains(where: { $0.id == note.id }) else { return false }
        notes.insert(note, at: min(max(index, 0), notes.count))
        return true
    }

    private func place(of id: String) -> Int? { notes.firstIndex { $0.id == id } }
}
