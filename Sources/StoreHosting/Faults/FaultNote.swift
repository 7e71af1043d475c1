import CPortable

/// The names of a kind and of its actions as C strings.
///
/// A signal handler reads them at any time, so they stay for the life of the process. There is one object for each kind.
@usableFromInline
final class FaultNames: Sendable {
    // Addresses: a pointer is not Sendable.
    fileprivate let store: UInt
    private let types: [UInt]

    @usableFromInline
    init(store: String, types: [String]) {
        self.store = Self.address(of: store)
        self.types = types.map(Self.address)
    }

    /// The C string of a type, by its index.
    @usableFromInline
    func type(_ index: Int) -> UnsafePointer<CChar>? { UnsafePointer(bitPattern: types[index]) }

    fileprivate static func address(of text: String) -> UInt {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.utf8.count + 1)
        for (index, byte) in text.utf8.enumerated() { copy[index] = CChar(bitPattern: byte) }
        copy[text.utf8.count] = 0
        return UInt(bitPattern: copy)
    }
}

/// The name of one store in the log, in the form that a note has it. A longer name is cut.
struct FaultLabel: Sendable, CustomStringConvertible {
    fileprivate private(set) var text = fault_note().session

    init(_ label: String) {
        withUnsafeMutableBytes(of: &text) { $0.copyBytes(from: label.utf8.prefix($0.count)) }
    }

    var description: String {
        withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

/// The name of a selector as a note has it in the place of an action: `selector total`.
struct SelectorFaultName: Sendable {
    fileprivate let address: UInt

    init(_ name: String) { address = FaultNames.address(of: "selector \(name)") }
}

/// A note of the action that the calling thread dispatches. If the process ends with a fault meanwhile, the last line
/// that it writes shows the note.
@usableFromInline
enum FaultNote {
    /// Calls `body`, which dispatches an action with that type.
    ///
    /// - Parameter type: nil if it is not known.
    @usableFromInline
    static func naming<Result>(_ type: UnsafePointer<CChar>?, _ body: () -> Result) -> Result {
        guard let note = fault_note_of_thread() else { return body() }
        // A subscriber of one store may dispatch to another.
        var outer = note.pointee
        note.pointee.type = type
        defer { fault_note_restore(note, &outer) }
        return body()
    }

    /// Calls `body`, which asks a state for the rights of an actor. It is noted as `access` in the place of an action.
    static func namingAccess<Result>(_ body: () -> Result) -> Result {
        naming(UnsafePointer(bitPattern: accessName), body)
    }

    /// Calls `body`, which asks a state for its members. It is noted as `members` in the place of an action.
    static func namingMembers<Result>(_ body: () -> Result) -> Result {
        naming(UnsafePointer(bitPattern: membersName), body)
    }

    private static let membersName = FaultNames.address(of: "members")
    private static let accessName = FaultNames.address(of: "access")

    /// Calls `body`, which asks a selector of a store for its value.
    static func naming(_ selector: SelectorFaultName, of names: FaultNames, _ label: FaultLabel, _ body: () -> Void) {
        naming(UnsafePointer(bitPattern: selector.address)) {
            set(names, label)
            body()
        }
    }

    /// Notes the store and its session; the action stays as ``naming(_:_:)`` has set it.
    static func set(_ names: FaultNames, _ label: FaultLabel) {
        guard let note = fault_note_of_thread() else { return }
        note.pointee.store = UnsafePointer(bitPattern: names.store)
        note.pointee.session = label.text
        fault_note_begin(note)
    }

    /// Notes the store, its session and the type of an action.
    static func set(_ names: FaultNames, _ label: FaultLabel, type: UnsafePointer<CChar>?) {
        set(names, label)
        fault_note_of_thread()?.pointee.type = type
    }

    static func clear() {
        guard let note = fault_note_of_thread() else { return }
        note.pointee.store = nil
        fault_note_end(note)
    }
}
