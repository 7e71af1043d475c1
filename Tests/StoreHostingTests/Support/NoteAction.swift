import JSON
import StoreHosting
import Stores

/// An action with every kind of field.
enum NoteAction: DeclaredAction, Equatable {
    case write(text: String, due: String?, priority: Int)
    case mark(due: String??, isDone: Bool?)
    case sign(password: String)
    case clear
    case arrived(Int)

    static let catalogue = ActionSchema<NoteAction>([
        ActionDeclaration(
            "note/write", "Writes.",
            fields: .text("text", 1...10, example: "hello"), Field.day("due", example: "2026-01-31").optional(),
            Field.integer("priority", 1...5, example: 2).defaulting(to: 3),
            embed: { .write(text: $0, due: $1, priority: $2) },
            extract: { if case .write(let text, let due, let priority) = $0 { (text, due, priority) } else { nil } }),
        ActionDeclaration(
            "note/mark", "Marks.", members: 1...2,
            fields: Field.day("due", example: "2026-01-31").nullable().optional(),
            Field.boolean("isDone", example: true).optional(),
            embed: { .mark(due: $0, isDone: $1) },
            extract: { if case .mark(let due, let isDone) = $0 { (due, isDone) } else { nil } }),
        ActionDeclaration(
            "note/sign", "Signs.", fields: Field.text("password", 0...20, example: "secret").secret(),
            embed: { .sign(password: $0) },
            extract: { if case .sign(let password) = $0 { password } else { nil } }),
        ActionDeclaration("note/clear", "Clears.", .clear),
        ActionDeclaration(
            "note/arrived", "Arrived.", audience: .internal, fields: .integer("number", example: 1),
            embed: { .arrived($0) },
            extract: { if case .arrived(let number) = $0 { number } else { nil } }),
    ])
}
