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
        case .rename(let id, let new): return change(id) { $0.id = new }
        case .set(let id, let note):
            guard let note else {
                notes.removeAll { $0.id == id }
                return true
            }
            if !change(id, { $0 = note }), !change(note.id, { $0 = note }) { notes.append(note) }
        case .removeAll: notes = []
        case .setAll(let all):
            notes = []
            for note in all where !change(note.id, { $0 = note }) { notes.append(note) }
        default: return applyMany(step)
        }
        return true
    }

    private mutating func applyMany(_ step: NoteStep) -> Bool {
        let count = notes.count
        switch step {
        case .addMany(let all):
            for note in all { insert(note, at: notes.count) }
            return notes.count > count
        case .upsertMany(let all):
            for note in all where !change(note.id, { $0.text += note.text }) { notes.append(note) }
            return notes.count > count
        case .updateMany(let ids, let text):
            return ids.reduce(false) { change($1, { $0.text = text }) || $0 }
        case .removeMany(let ids):
            notes.removeAll { ids.contains($0.id) }
            return notes.count < count
        default: return false
        }
    }

    /// Changes a note in place. Another one that has its new id is removed.
    private mutating func change(_ id: String, _ change: (inout Note) -> Void) -> Bool {
        guard let place = place(of: id) else { return false }
        change(&notes[place])
        let note = notes[place]
        if note.id != id {
            notes = notes.enumerated().filter { $0.offset == place || $0.element.id != note.id }.map(\.element)
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
