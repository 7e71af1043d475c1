public import JSON

extension StatePatch {
    /// What a patch of the whole state means to somebody who sees a part of it.
    public enum Narrowed: Sendable, Equatable {
        /// The part is what it was.
        case unchanged
        /// The part has changed so.
        case patch(StatePatch)
        /// Only a look at the part tells.
        case unclear
    }

    /// What the patch means to somebody who sees what `pointer` finds.
    public func narrowed(to pointer: JSONPointer) -> Narrowed {
        guard !pointer.tokens.isEmpty else { return isEmpty ? .unchanged : .patch(self) }
        let base = pointer.description
        var inside: [Operation] = []
        for operation in operations {
            switch operation.relation(to: base, pointer) {
            case .beside: continue
            case .inside: inside.append(operation.moved(out: base))
            case .around: return .unclear
            }
        }
        return inside.isEmpty ? .unchanged : .patch(StatePatch(inside))
    }
}

extension StatePatch.Operation {
    fileprivate enum Relation { case beside, inside, around }

    fileprivate func relation(to base: String, _ pointer: JSONPointer) -> Relation {
        if path.utf8.starts(with: base.utf8) {
            let rest = path.utf8.dropFirst(base.utf8.count)
            // What comes or goes at the very place may be an element of an array, and shift the others.
            if rest.isEmpty { return kind == .replace ? .inside : .around }
            if rest.first == Self.slash { return .inside }
        }
        if base.utf8.starts(with: path.utf8) {
            let rest = base.utf8.dropFirst(path.utf8.count)
            if path.isEmpty || rest.first == Self.slash { return .around }
        }
        return shifts(base) ? .around : .beside
    }

    /// Whether an element comes or goes in an array that the base leads through.
    private func shifts(_ base: String) -> Bool {
        guard kind != .replace, let slash = path.utf8.lastIndex(of: Self.slash) else { return false }
        let isIndex = path.utf8[path.utf8.index(after: slash)...].allSatisfy { (0x30...0x39).contains($0) }
        return isIndex && base.utf8.starts(with: path.utf8[...slash])
    }

    fileprivate func moved(out base: String) -> StatePatch.Operation {
        Self(kind, String(path.utf8.dropFirst(base.utf8.count)) ?? "", value)
    }

    private static let slash = UInt8(ascii: "/")
}
