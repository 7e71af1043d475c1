/// The elements of a set or a dictionary, each under its key.
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

    /// Numbers by size, everything else by its text.
    static func areInOrder(_ first: AnyHashable, _ second: AnyHashable) -> Bool {
        if let first = first.base as? Int, let second = second.base as? Int { return first < second }
        return stableText(of: first.base) < stableText(of: second.base)
    }
}

extension Mirror {
    var elements: [Any] { children.map(\.value) }

    var labels: [String?] { allChildren.map(\.label) }

    /// Those of a class's superclasses too, theirs first.
    var allChildren: [Child] { (superclassMirror?.allChildren ?? []) + children }
}
