import HTTP

enum ChunkProperties {
    /// The result of decoding.
    private struct Outcome: Equatable {
        var body: [UInt8] = []
        var consumed = 0
        var isDone = false
        var failure: RequestFailure?
    }

    /// The first byte determines the pieces. The others are decoded, and then encoded as chunks and decoded again.
    static func check(_ input: [UInt8]) throws(Finding) {
        var input = Input(input)
        let seed = input.byte()
        let bytes = Array(input.rest)
        try checkCuts(of: bytes, seed)
        try checkCoding(of: bytes, seed)
    }

    /// The outcome depends neither on the pieces nor on the bytes behind the body.
    private static func checkCuts(of bytes: [UInt8], _ seed: UInt8) throws(Finding) {
        let limits = HTTPLimits(maxHeaderBytes: 200, maxBodyBytes: 1000)
        let whole = try decode([bytes[...]], limits)
        for seed in [seed, 0] {
            try require(
                try decode(Cuts(bytes: bytes, seed: seed), limits) == whole, "the outcome depends on the pieces")
        }
        try require(whole.body.count <= limits.maxBodyBytes, "the body exceeds the limit")
        try require(whole.consumed <= bytes.count, "more bytes are consumed than exist")
        guard whole.isDone else { return }
        let alone = try decode([bytes.prefix(whole.consumed)], limits)
        try require(alone == whole, "the body depends on the bytes behind it")
        let cut = try decode([bytes.prefix(whole.consumed - 1)], limits)
        try require(!cut.isDone && cut.failure == nil, "the body is complete before its end")
    }

    private static func checkCoding(of bytes: [UInt8], _ seed: UInt8) throws(Finding) {
        var coded: [UInt8] = []
        for piece in Cuts(bytes: bytes, seed: seed) { ChunkedCoding.append(Array(piece), to: &coded) }
        coded += Array(ChunkedCoding.end)
        let decoded = try decode(Cuts(bytes: coded, seed: seed &+ 1), HTTPLimits(maxBodyBytes: bytes.count))
        try require(decoded.isDone && decoded.body == bytes, "encoding and decoding changes the body")
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
