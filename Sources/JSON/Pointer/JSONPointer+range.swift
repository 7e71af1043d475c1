extension JSONPointer {
    /// Where the bytes of the value pointed at stand; nil where there is none.
    ///
    /// It skims encoded JSON once, up to the end of the value, and builds nothing. Any bytes are safe to skim; where they
    /// are not JSON the answer is nil, unless the fault lies where the skimming does not look.
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
