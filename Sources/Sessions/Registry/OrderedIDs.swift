/// The ids of sessions in their order. They are in chunks, so that neither a change nor a page touches all of them.
struct OrderedIDs {
    private static let maxChunk = 256

    /// None is empty, and each is before the next one.
    private var chunks: [[SessionID]] = []

    var isEmpty: Bool { chunks.isEmpty }

    mutating func insert(_ id: SessionID) {
        guard !chunks.isEmpty else { return chunks.append([id]) }
        let chunk = chunk(for: id)
        let place = chunks[chunk].place { $0 < id }
        if place < chunks[chunk].count, chunks[chunk][place] == id { return }
        chunks[chunk].insert(id, at: place)
        guard chunks[chunk].count > Self.maxChunk else { return }
        let half = chunks[chunk].count / 2
        chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
        chunks[chunk].removeLast(chunks[chunk].count - half)
    }

    mutating func remove(_ id: SessionID) {
        guard !chunks.isEmpty else { return }
        let chunk = chunk(for: id)
        let place = chunks[chunk].place { $0 < id }
        guard place < chunks[chunk].count, chunks[chunk][place] == id else { return }
        chunks[chunk].remove(at: place)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// At most `limit` ids after one; after none, the first of all.
    func ids(after id: SessionID?, limit: Int) -> [SessionID] {
        guard !chunks.isEmpty else { return [] }
        var chunk = id.map { self.chunk(for: $0) } ?? 0
        var place = id.map { id in chunks[chunk].place { $0 <= id } } ?? 0
        var found: [SessionID] = []
        while chunk < chunks.count, found.count < limit {
            found += chunks[chunk][place...].prefix(limit - found.count)
            (chunk, place) = (chunk + 1, 0)
        }
        return found
    }

    /// The chunk that has an id if any does: the last one that begins with it or before it, or else the first.
    private func chunk(for id: SessionID) -> Int { max(0, chunks.place { $0[0] <= id } - 1) }
}

extension Array {
    /// Behind the elements that fulfil a condition, which are all at the beginning.
    fileprivate func place(behind isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
