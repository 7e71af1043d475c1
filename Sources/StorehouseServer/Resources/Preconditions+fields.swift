package import HTTP
import Sessions

// In the order of RFC 9110, section 13.2.2: If-Match comes first.
extension Preconditions {
    init(_ head: RequestHead) throws(Problem) {
        let match = try RevisionSet(ifMatch: head)
        let noneMatch: RevisionSet? =
            head.fields.contains("if-none-match")
            ? try head.condition("if-none-match", "If-None-Match").map { RevisionSet($0) { _ in true } } : nil
        self = match == nil && noneMatch == nil ? .none : .some(match: match, noneMatch: noneMatch)
    }
}

extension RevisionSet {
    /// The revisions of If-Match, which weak tags never match; nil without the field.
    init?(ifMatch head: RequestHead) throws(Problem) {
        guard head.fields.contains("if-match"), let condition = try head.condition("if-match", "If-Match") else {
            return nil
        }
        self.init(condition) { !$0.isWeak }
    }

    /// - Parameter counts: whether a tag can match.
    package init(_ condition: EntityTagCondition, where counts: (EntityTag) -> Bool) {
        switch condition {
        case .any: self = .all
        // A tag that is no revision matches nothing.
        case .tags(let tags): self = .some(tags.filter(counts).compactMap(\.revision))
        }
    }
}

extension EntityTag {
    /// The revision that the tag names: `3` in any history, `3.k2f9` in the history `k2f9` only.
    fileprivate var revision: RevisionSet.Name? {
        let parts = opaque.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = Int(parts[0]), String(number) == parts[0] else { return nil }
        return RevisionSet.Name(number: number, history: parts.count == 1 ? nil : String(parts[1]))
    }
}
