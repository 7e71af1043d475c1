import HTTP

enum ChunkProperties {
    /// What a body came to.
    private struct Outcome: Equatable {
        var body: [UInt8] = []
        var consumed = 0
        var isDone = false
        var failure: RequestFailure?
    }

    /// The first byte says how the others are cut. They are decoded, and decoded again after they were coded as chunks.
    static func check(_ input: [UInt8]) throws(Finding) {
        var input = Input(input)
        let seed = input.byte()
        let bytes = Array(input.rest)
        try checkCuts(of: bytes, seed)
        try checkCoding(of: bytes, seed)
    }

    /// The outcome does not depend on the cut, and what follows the body does not matter to it.
    private static func checkCuts(of bytes: [UInt8], _ seed: UInt8) throws(Finding) {
        let limits = HTTPLimits(maxHeaderBytes: 200, maxBodyBytes: 1000)
        let whole = try decode([bytes[...]], limits)
        for seed in [seed, 0] {
            try require(try decode(Cuts(bytes: bytes, seed: seed), limits) == whole, "the outcome depends on the cut")
        }
        try require(whole.body.count <= limits.maxBodyBytes, "the body is over its limit")
        try require(whole.consumed <= bytes.count, "more is consumed than there is")
        guard whole.isDone else { return }
        let alone = try decode([bytes.prefix(whole.consumed)], limits)
        try require(alone == whole, "the body depends on what follows it")
        let cut = try decode([bytes.prefix(whole.consumed - 1)], limits)
        try require(!cut.isDone && cut.failure == nil, "the body is complete before its end")
    }

    private static func checkCoding(of bytes: [UInt8], _ seed: UInt8) throws(Finding) {
        var coded: [UInt8] = []
        for piece in Cuts(bytes: bytes, seed: seed) { ChunkedCoding.append(Array(piece), to: &coded) }
        coded += Array(ChunkedCoding.end)
        let decoded = try decode(Cuts(bytes: coded, seed: seed &+ 1), HTTPLimits(maxBodyBytes: bytes.count))
        try require(decoded.isDone && decoded.body == bytes, "what is coded as chunks does not come back")
        try require(decoded.consumed == coded.count, "the end of the chunks is not found")
    }

    private static func decode(
        _ pieces: some Sequence<ArraySlice<UInt8>>, _ limits: HTTPLimits
    ) throws(Finding) -> Outcome {
        var decoder = BodyDecoder(.chunked, limits: limits)
        var outcome = Outcome()
        var waiting: [UInt8] = []
        for piece in pieces {
            waiting += piece
            switch waiting.withUnsafeBytes({ decoder.decode($0) }) {
            case .needMore(let consumed):
                try require((0...waiting.count).contains(consumed), "\(consumed) of \(waiting.count) are consumed")
                waiting.removeFirst(consumed)
                outcome.consumed += consumed
            case .done(let consumed):
                try require((0...waiting.count).contains(consumed), "\(consumed) of \(waiting.count) are consumed")
                return Outcome(body: decoder.body, consumed: outcome.consumed + consumed, isDone: true)
            case .failed(let failure): return Outcome(failure: failure)
            }
        }
        return Outcome(body: decoder.body)
    }
}
