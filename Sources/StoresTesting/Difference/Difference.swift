/// The difference of two values: one line for each path, such as `counter.count: 1 → 2`. Empty if they are equal.
///
/// - Elements are named by index or key. An element that only one value has is compared with `nothing`.
/// - Sets and dictionaries are compared by content, in a fixed order.
/// - A value that hides its members from `Mirror` is shown by its description.
/// - Long strings are cut to the place where they differ. The whole text is cut after 20 lines.
///
/// - Parameters:
///   - expected: the value before the arrow.
///   - found: the value after the arrow.
public func difference<Value>(between expected: Value, and found: Value) -> String {
    var search = DifferenceSearch()
    search.compare(expected, found, at: ValuePath())
    return search.lines.joined(separator: "\n")
}

/// The path from a value to a part of it.
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

/// Compares two values recursively and collects the differences.
struct DifferenceSearch {
    private static let maxLines = 20
    private static let maxDepth = 16

    private(set) var lines: [String] = []

    private var isFull: Bool { lines.count > Self.maxLines }

    mutating func compare(_ expected: Any, _ found: Any, at path: ValuePath) {
        let areEqual = equality(expected, found)
        guard areEqual != true, !isFull else { return }
        let count = lines.count
        if path.depth < Self.maxDepth, type(of: expected) == type(of: found), !haveDistinctDescriptions(expected, found)
        {
            compareParts(expected, found, at: path)
            // Without `==`, equal parts mean equal values.
            if areEqual == nil, !Mirror(reflecting: expected).children.isEmpty { return }
        }
        if lines.count == count { note(expected, found, at: path, areUnequal: areEqual == false) }
    }

    private mutating func compareParts(_ expected: Any, _ found: Any, at path: ValuePath) {
        let (expectedParts, foundParts) = (Mirror(reflecting: expected), Mirror(reflecting: found))
        switch expectedParts.displayStyle {
        case .optional:
            guard let expected = expectedParts.children.first, let found = foundParts.children.first else {
                return note(expected, found, at: path)
            }
            compare(expected.value, found.value, at: path)
        case .collection: compareInOrder(expectedParts.elements, foundParts.elements, at: path)
        case .set: compare(KeyedParts(set: expectedParts), KeyedParts(set: foundParts), at: path)
        case .dictionary: compare(KeyedParts(dictionary: expectedParts), KeyedParts(dictionary: foundParts), at: path)
        default: compareMembers(expectedParts, foundParts, at: path)
        }
    }

    /// Compares properties, payloads and members of tuples. Different cases of an enumeration have no common parts.
    private mutating func compareMembers(_ expected: Mirror, _ found: Mirror, at path: ValuePath) {
        guard expected.labels == found.labels else { return }
        for (expected, found) in zip(expected.allChildren, found.allChildren) {
            compare(expected.value, found.value, at: path.member(expected.label))
        }
    }

    /// Skips the common prefix and suffix and compares the rest index by index.
    private mutating func compareInOrder(_ expected: [Any], _ found: [Any], at path: ValuePath) {
        let shorter = min(expected.count, found.count)
        let start = zip(expected, found).prefix { areAlike($0, $1) }.count
        let end = zip(expected.reversed(), found.reversed()).prefix(shorter - start).prefix { areAlike($0, $1) }.count
        let (expectedMiddle, foundMiddle) = (start..<expected.count - end, start..<found.count - end)
        for index in start..<max(expectedMiddle.upperBound, foundMiddle.upperBound) {
            let path = path.element("\(index)")
            switch (expectedMiddle.contains(index), foundMiddle.contains(index)) {
            case (true, true): compare(expected[index], found[index], at: path)
            case (true, false): note(expected[index], nil, at: path)
            default: note(nil, found[index], at: path)
            }
        }
    }

    private mutating func compare(_ expected: KeyedParts, _ found: KeyedParts, at path: ValuePath) {
        for key in Set(expected.parts.keys).union(found.parts.keys).sorted(by: KeyedParts.areInOrder) {
            let path = path.element(stableDescription(of: key.base))
            switch (expected.parts[key], found.parts[key]) {
            case (let expected?, let found?): compare(expected, found, at: path)
            case (let expected, let found): note(expected, found, at: path)
            }
        }
    }

    private func areAlike(_ expected: Any, _ found: Any) -> Bool {
        if let areEqual = equality(expected, found) { return areEqual }
        var search = DifferenceSearch()
        search.compare(expected, found, at: ValuePath())
        return search.lines.isEmpty
    }
}

extension DifferenceSearch {
    private mutating func note(_ expected: Any?, _ found: Any?, at path: ValuePath, areUnequal: Bool = true) {
        let texts = [expected, found].map { $0.map { stableDescription(of: $0) } ?? "nothing" }
        guard areUnequal || texts[0] != texts[1], !isFull else { return }
        guard lines.count < Self.maxLines else { return lines.append("…") }
        let (before, after) = shortened(texts[0], texts[1])
        let hint = texts[0] == texts[1] ? " (unequal, though they look the same)" : ""
        lines.append((path.text.isEmpty ? "" : path.text + ": ") + "\(before) → \(after)\(hint)")
    }
}

/// Whether both are equal; nil if their type is not `Equatable`.
private func equality(_ expected: Any, _ found: Any) -> Bool? {
    func isEqual<Value: Equatable>(_ expected: Value) -> Bool? { (found as? Value).map { $0 == expected } }
    guard type(of: expected) == type(of: found), let expected = expected as? any Equatable else { return nil }
    return isEqual(expected)
}

/// Whether both have short and different descriptions, which say more than their parts.
private func haveDistinctDescriptions(_ expected: Any, _ found: Any) -> Bool {
    switch Mirror(reflecting: expected).displayStyle {
    case .optional, .collection, .set, .dictionary, .tuple: return false
    default: break
    }
    guard let expected = expected as? any CustomStringConvertible, let found = found as? any CustomStringConvertible
    else { return false }
    let texts = (expected.description, found.description)
    return texts.0 != texts.1 && max(texts.0.count, texts.1.count) <= 40
}

/// Cuts long common prefixes and long remainders.
private func shortened(_ first: String, _ second: String) -> (String, String) {
    let maxLength = 80
    let same = zip(first, second).prefix { $0 == $1 }.count
    func cut(_ text: String) -> String {
        guard text.count > maxLength else { return text }
        let start = max(0, min(same - 20, text.count - maxLength))
        let rest = text.dropFirst(start)
        return (start > 0 ? "…" : "") + rest.prefix(maxLength) + (rest.count > maxLength ? "…" : "")
    }
    return (cut(first), cut(second))
}

/// The elements of a set or a dictionary by key.
struct KeyedParts {
    var parts: [AnyHashable: Any] = [:]

    init(set: Mirror) {
        for element in set.elements {
            if let key = element as? AnyHashable { parts[key] = element }
        }
    }

    init(dictionary: Mirror) {
        for element in dictionary.elements {
            let pair = Mirror(reflecting: element).elements
            if pair.count == 2, let key = pair[0] as? AnyHashable { parts[key] = pair[1] }
        }
    }

    /// Orders integers by size, everything else by description.
    static func areInOrder(_ first: AnyHashable, _ second: AnyHashable) -> Bool {
        if let first = first.base as? Int, let second = second.base as? Int { return first < second }
        return stableDescription(of: first.base) < stableDescription(of: second.base)
    }
}

extension Mirror {
    var elements: [Any] { children.map(\.value) }

    var labels: [String?] { allChildren.map(\.label) }

    /// The children, with those of superclasses first.
    var allChildren: [Child] { (superclassMirror?.allChildren ?? []) + children }
}

/// A description of a value on one line. It is short, and the same for equal values.
///
/// Like `String(describing:)`, with quoted strings and a fixed order of unordered collections.
func stableDescription(of value: Any, depth: Int = 0) -> String {
    let mirror = Mirror(reflecting: value)
    guard depth < 8 else { return "…" }
    switch (mirror.displayStyle, mirror.children.isEmpty) {
    case (.optional, _): return mirror.children.first.map { stableDescription(of: $0.value, depth: depth) } ?? "nil"
    case (.collection, _): return list(mirror.children.prefix(maxElements + 1).map { element($0, depth) })
    case (.set, _): return list(mirror.children.map { element($0, depth) }.sorted())
    case (.dictionary, true): return "[:]"
    case (.dictionary, false): return list(mirror.children.map { member($0, depth) }.sorted())
    case (.tuple, false): return "(" + labelled(mirror.children, depth) + ")"
    default: return plainDescription(of: value, mirror, depth)
    }
}

private func plainDescription(of value: Any, _ mirror: Mirror, _ depth: Int) -> String {
    if value is any StringProtocol { return String(reflecting: value) }
    if value is any CustomStringConvertible || mirror.children.isEmpty { return String(describing: value) }
    switch mirror.displayStyle {
    case .enum:
        guard let payload = mirror.children.first, let label = payload.label else { return String(describing: value) }
        let text = stableDescription(of: payload.value, depth: depth + 1)
        return Mirror(reflecting: payload.value).displayStyle == .tuple ? label + text : "\(label)(\(text))"
    case .struct, .class: return "\(mirror.subjectType)(" + labelled(mirror.children, depth) + ")"
    default: return String(describing: value)
    }
}

/// The maximum number of elements shown of a collection.
private let maxElements = 20

private func list(_ texts: [String]) -> String {
    let shown = texts.count > maxElements ? texts.prefix(maxElements) + ["…"] : texts[...]
    return "[" + shown.joined(separator: ", ") + "]"
}

private func element(_ child: Mirror.Child, _ depth: Int) -> String {
    stableDescription(of: child.value, depth: depth + 1)
}

private func labelled(_ children: Mirror.Children, _ depth: Int) -> String {
    children.map { child in
        let text = stableDescription(of: child.value, depth: depth + 1)
        // The members of a tuple without labels are called .0, .1 and so on.
        guard let label = child.label, !label.hasPrefix(".") else { return text }
        return "\(label): \(text)"
    }.joined(separator: ", ")
}

private func member(_ pair: Mirror.Child, _ depth: Int) -> String {
    Mirror(reflecting: pair.value).children.map { element($0, depth) }.joined(separator: ": ")
}
