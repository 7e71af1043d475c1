extension RandomSource {
    /// Changes, removes or inserts a few bytes.
    mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        let favourites = Array("\"\\{}[],:0-.eu\u{0}é ".utf8) + [0xFF, 0xC0, 0xED, 0xF4]
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let byte = favourites.randomElement(using: &self) ?? 0
            guard let position = bytes.indices.randomElement(using: &self) else { return [byte] }
            switch Int.random(in: 0..<4, using: &self) {
            case 0: bytes[position] = byte
            case 1: bytes.insert(byte, at: position)
            case 2: bytes.removeSubrange(position...)
            default: bytes.remove(at: position)
            }
        }
        return bytes
    }
}
