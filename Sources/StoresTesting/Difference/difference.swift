/// Where two values differ: a line for each path, `counter.count: 1 → 2`; empty where they are equal.
///
/// - Elements are named by their index or key. One that only one of the values has stands against `nothing`.
/// - Sets and dictionaries are compared by content, and shown in an order that is always the same.
/// - A value that hides what it holds from `Mirror` is shown as it describes itself.
/// - Long texts and long differences are cut: a text where it starts to differ, the rest after 20 lines.
///
/// - Parameters:
///   - expected: stands before the arrow.
///   - found: stands after it.
public func difference<Value>(between expected: Value, and found: Value) -> String {
    var search = DifferenceSearch()
    search.compare(expected, found, at: ValuePath())
    return search.lines.joined(separator: "\n")
}

/// The way from a value to a part of it.
struct ValuePath {
    private(set) var text = ""
    private(set) var depth = 0

    func member(_ label: String?) -> ValuePath {
        guard let label else { return step("") }
        // The members of a tuple without labels are called .0, .1 and so on.
        return step(text.isEmpty || label.hasPrefix(".") ? label : "." + label)
    }

    func element(_ key: String) -> ValuePath { step("[\(key)]") }

    private func step(_ step: String) -> ValuePath {
        var path = self
        path.text += step
        path.depth += 1
        return path
    }
}
