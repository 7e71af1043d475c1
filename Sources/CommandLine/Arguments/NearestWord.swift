import StoreHosting

extension [String] {
    /// The word that a mistyped one means, most likely: the first one that it begins, else the one with the fewest different letters.
    func nearest(to word: String) -> String {
        let nearest = map { (word: $0, distance: editDistance($0, word)) }.min { $0.distance < $1.distance }
        return first { $0.hasPrefix(word) } ?? nearest?.word ?? ""
    }
}
