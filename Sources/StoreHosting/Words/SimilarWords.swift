extension Sequence<String> {
    /// The words that a mistyped one may mean, best first; none if it is far from all of them.
    ///
    /// A word is similar to one that it begins, and to one in which at most a third of the letters differ. Words with several parts,
    /// such as `http.port` or `note/write`, are compared part by part. If the first parts differ too much, the last parts alone may be
    /// similar.
    package func similar(to word: String) -> [String] { similar(to: word) { $0 } }
}

extension Sequence {
    /// The elements whose names a mistyped word may mean, best first; none if it is far from all of them.
    package func similar(to word: String, name: (Element) -> String) -> [Element] {
        let wanted = MistypedWord(word)
        return enumerated()
            .compactMap { index, element in
                let name = name(element)
                // Of two words that begin so, the shorter one is nearer.
                return wanted.distance(to: name).map { ($0, $0 == 1 ? name.utf8.count : 0, index, element) }
            }
            .sorted { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }.map(\.3)
    }
}

extension String {
    /// Whether this is most likely a misspelt `word`: at most a third of its letters differ, whatever their case.
    package func isLikelyTypo(of word: String) -> Bool { typoDistance(from: word) != nil }

    fileprivate func typoDistance(from word: String) -> Int? {
        let limit = word.utf8.count / 3
        guard abs(utf8.count - word.utf8.count) <= limit else { return nil }
        let distance = editDistance(lowercased(), word.lowercased())
        return distance <= limit ? distance : nil
    }
}

private struct MistypedWord {
    private let word: String
    private let parts: [String]

    init(_ word: String) {
        self.word = word.lowercased()
        parts = Self.parts(self.word)
    }

    /// How far a known word is; nil if it is too far.
    func distance(to known: String) -> Int? {
        guard !word.isEmpty else { return nil }
        let known = known.lowercased()
        if known.hasPrefix(word) { return known.count == word.count ? 0 : 1 }
        let others = Self.parts(known)
        let whole = others.count == parts.count ? sum(others) : word.typoDistance(from: known)
        return whole ?? inAnotherSection(others)
    }

    private func sum(_ others: [String]) -> Int? {
        var sum = 0
        for (part, other) in zip(parts, others) {
            guard let distance = part.typoDistance(from: other) else { return nil }
            sum += distance
        }
        return sum
    }

    /// Further away than a typo at the right place.
    private func inAnotherSection(_ others: [String]) -> Int? {
        guard others.count > 1 || parts.count > 1, let last = parts.last, let other = others.last else { return nil }
        if !last.isEmpty, other.hasPrefix(last) { return other.count == last.count ? 3 : 4 }
        return last.typoDistance(from: other).map { $0 + 4 }
    }

    private static func parts(_ word: String) -> [String] {
        word.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "/" }.map(String.init)
    }
}

/// How many letters of one word must be changed, added, removed or swapped with their neighbour to get the other.
///
/// Only the first 64 bytes count, so that a long word from a client has a bounded cost.
private func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8.prefix(64)), Array(right.utf8.prefix(64)))
    var (before, last) = ([Int](), Array(0...right.count))
    for i in left.indices {
        var row = [i + 1]
        for j in right.indices {
            var least = Swift.min(last[j + 1], row[j]) + 1
            least = Swift.min(least, last[j] + (left[i] == right[j] ? 0 : 1))
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                least = Swift.min(least, before[j - 1] + 1)
            }
            row.append(least)
        }
        (before, last) = (last, row)
    }
    return last[right.count]
}
