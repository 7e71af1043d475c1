import CFaultNote

/// The names of a kind and of its actions as C strings.
///
/// A signal handler reads them at any time, so they stay for the life of the process. There is one object for each kind.
@usableFromInline
final class FaultNames: Sendable {
    // Addresses: a pointer is not Sendable.
    private let store: UInt
    private let types: [UInt]

    @usableFromInline
    init(store: String, types: [String]) {
        self.store = Self.address(of: store)
        self.types = types.map(Self.address)
    }

    /// The note of a store whose name in the log is `label`, without an action.
    func note(_ label: String) -> fault_note {
        var note = fault_note()
        note.store = UnsafePointer(bitPattern: store)
        withUnsafeMutableBytes(of: &note.session) { $0.copyBytes(from: label.utf8.prefix($0.count)) }
        return note
    }

    /// The label that a note was made with.
    static func label(of note: fault_note) -> String {
        withUnsafeBytes(of: note.session) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The C string of a type, by its index.
    @usableFromInline
    func type(_ index: Int) -> UnsafePointer<CChar>? { UnsafePointer(bitPattern: types[index]) }

    private static func address(of text: String) -> UInt {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.utf8.count + 1)
        for (index, byte) in text.utf8.enumerated() { copy[index] = CChar(bitPattern: byte) }
        copy[text.utf8.count] = 0
        return UInt(bitPattern: copy)
    }
}

/// What the calling thread dispatches, for the line that is written if the process ends with a fault meanwhile.
@usableFromInline
enum FaultNote {
    /// Calls `body`, which dispatches an action with that type.
    ///
    /// - Parameter type: nil if it is not known.
    @usableFromInline
    static func naming<Result>(_ type: UnsafePointer<CChar>?, _ body: () -> Result) -> Result {
        guard let note = fault_note_of_thread() else { return body() }
        // A subscriber of one store may dispatch to another.
        let outer = note.pointee
        note.pointee.type = type
        defer { note.pointee = outer }
        return body()
    }

    /// Notes the store and its session; the action stays as ``naming(_:_:)`` has set it.
    static func set(_ new: fault_note) {
        guard let note = fault_note_of_thread() else { return }
        let type = note.pointee.type
        note.pointee = new
        note.pointee.type = type
    }

    /// Notes the store, its session and the type of an action.
    static func set(_ new: fault_note, type: UnsafePointer<CChar>?) {
        guard let note = fault_note_of_thread() else { return }
        note.pointee = new
        note.pointee.type = type
    }

    static func clear() { fault_note_of_thread()?.pointee.store = nil }
}
