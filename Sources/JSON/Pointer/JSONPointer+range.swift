extension JSONPointer {
    /// Where the bytes of the value pointed at stand; nil where there is none.
    ///
    /// It skims encoded JSON once and builds nothing. Bytes that are not JSON are safe to skim: the answer is then nil
    /// or a range inside them, without promise which.
    public func range(in json: [UInt8]) -> Range<Int>? {
        json.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var skimmer = JSONSkimmer(start: start, count: buffer.count)
            for token in tokens {
                guard skimmer.enter(token) else { return nil }
            }
            return skimmer.skipValue()
        }
    }
}
