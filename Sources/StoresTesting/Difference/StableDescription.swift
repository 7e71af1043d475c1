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
