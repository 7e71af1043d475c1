/// Values that were used last, bounded by their bytes and their number.
package struct ByteCache<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let bytes: Int
        var lastUse: Int
    }

    private let maxBytes: Int
    private let maxCount: Int
    private var entries: [Key: Entry] = [:]
    private var uses = 0
    package private(set) var bytes = 0

    package init(maxBytes: Int, maxCount: Int = 256) {
        self.maxBytes = maxBytes
        self.maxCount = maxCount
    }

    /// Finds a value, which counts as use.
    package subscript(_ key: Key) -> Value? {
        mutating get {
            guard var entry = entries[key] else { return nil }
            uses += 1
            entry.lastUse = uses
            entries[key] = entry
            return entry.value
        }
    }

    /// Inserts a value, and removes those that were not used for longest until it fits. A value that is larger than the
    /// cache is not inserted.
    package mutating func insert(_ value: Value, for key: Key, bytes size: Int) {
        remove(key)
        guard size <= maxBytes else { return }
        while bytes + size > maxBytes || entries.count >= maxCount,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            remove(oldest.key)
        }
        uses += 1
        entries[key] = Entry(value: value, bytes: size, lastUse: uses)
        bytes += size
    }

    private mutating func remove(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { bytes -= entry.bytes }
    }
}
