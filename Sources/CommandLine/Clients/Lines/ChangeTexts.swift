package import JSON
import Observability

/// The changes of a value as texts: `/counter/count 0 → 2`, `/tags/0 + "a"`, `/tags/0 - "a"`, `/tags → /words`.
package struct ChangeTexts: Sendable {
    /// One line has not more of them.
    private static let maxChangesOfLine = 20

    private let ink: TerminalInk
    /// The value, to which patches are applied to show what was there before; nil if it is not known.
    package private(set) var value: JSONValue?

    package init(_ ink: TerminalInk, of value: JSONValue? = nil) {
        (self.ink, self.value) = (ink, value)
    }

    /// Shows nothing: this is the value from now on.
    mutating func begin(with value: JSONValue?) { self.value = value }

    /// The changes of a patch, which are made.
    package mutating func texts(of patch: JSONPatch) -> [String] {
        patch.operations.flatMap { operation in
            let texts = self.texts(operation)
            apply(operation)
            return texts
        }
    }

    /// The changes that lead to a new value; nil if the old one is not known.
    package mutating func texts(to new: JSONValue) -> [String]? {
        guard let old = value else {
            value = new
            return nil
        }
        return texts(of: JSONPatch(from: old, to: new))
    }

    /// Changes in one line.
    static func line(_ texts: [String]) -> String {
        let rest = texts.count - maxChangesOfLine
        return texts.prefix(maxChangesOfLine).joined(separator: ", ") + (rest > 0 ? ", and \(rest) more" : "")
    }

    private mutating func apply(_ operation: JSONPatch.Operation) {
        guard var changed = value else { return }
        // Otherwise there would be two of it, and the change would copy it.
        value = nil
        do {
            try JSONPatch([operation]).apply(to: &changed)
            value = changed
        } catch {
            // The value is unknown from here on, and old values are shown only if they are true.
            value = nil
        }
    }

    /// A patch is as short as it can be, and so it may replace an object of which little has changed. A person sees the members.
    private func texts(_ operation: JSONPatch.Operation) -> [String] {
        guard case .replace(let path, let new) = operation, let members = new.asObject, !members.isEmpty,
            let value, let old = path.value(in: value)?.asObject
        else { return [text(operation)] }
        let removed = old.filter { members[$0.name] == nil }.map { text(.remove(path.appending($0.name))) }
        return removed
            + members.flatMap { name, new in
                let place = path.appending(name)
                guard let before = old[name] else { return [text(.add(place, new))] }
                return before == new ? [] : texts(.replace(place, new))
            }
    }

    private func text(_ operation: JSONPatch.Operation) -> String {
        switch operation {
        case .add(let path, let new): return place(path) + ink.styled("+ " + ink.short(new), .green)
        case .remove(let path):
            return place(path) + ink.styled("-" + (old(path).map { " " + $0 } ?? ""), .red)
        case .replace(let path, let new):
            let old = old(path).map { ink.styled($0, .red) + " " } ?? ""
            return place(path) + old + "→ " + ink.styled(ink.short(new), .green)
        case .move(let from, let path):
            return from.description.escapedForTerminal + " → " + path.description.escapedForTerminal
        }
    }

    private func old(_ path: JSONPointer) -> String? { value.flatMap { path.value(in: $0) }.map { ink.short($0) } }

    private func place(_ path: JSONPointer) -> String {
        path.tokens.isEmpty ? "" : path.description.escapedForTerminal + " "
    }
}
