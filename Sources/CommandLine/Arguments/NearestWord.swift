import StoreHosting

extension [String] {
    /// The end of a message about a mistyped word, such as `; the nearest is 'serve'`; empty if the word is far from all of these.
    func hint(for word: String) -> String {
        // The dashes that all flags have make none of them similar.
        let found = similar(to: String(word.drop { $0 == "-" })) { String($0.drop { $0 == "-" }) }
        return found.first.map { "; the nearest is '\($0)'" } ?? ""
    }
}
