import StoreHosting

/// A cache as it stands in a file. A loss of power may tear it, because nobody waits until it is on the disk.
enum CacheFile {
    private static let head = "storehouse cache 1 "

    static func encoded(_ cache: [UInt8]) -> [UInt8] { Array("\(head)\(hash(cache[...]))\n".utf8) + cache }

    /// The cache; nil if the file is torn, or of another version.
    static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
        guard let end = bytes.prefix(80).firstIndex(of: 10) else { return nil }
        let content = bytes[(end + 1)...]
        return bytes[..<end].elementsEqual("\(head)\(hash(content))".utf8) ? Array(content) : nil
    }

    private static func hash(_ content: ArraySlice<UInt8>) -> String {
        var hash = FNV1a()
        for byte in content { hash.add(byte) }
        return String(hash.value, radix: 16)
    }
}
