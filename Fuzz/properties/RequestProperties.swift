import HTTP

enum RequestProperties {
    /// Small limits, so that short inputs reach them.
    private static let limits = HTTPLimits(maxHeaderBytes: 400, maxTargetBytes: 100, maxBodyBytes: 1000)

    /// The first byte determines the pieces of the others, which are pipelined requests.
    static func check(_ input: [UInt8]) throws(Finding) {
        var input = Input(input)
        let seed = input.byte()
        let bytes = Array(input.rest)
        let whole = try RequestReader.outcomes(of: [bytes[...]], limits: limits)
        for seed in [seed, 0] {
            let outcomes = try RequestReader.outcomes(of: Cuts(bytes: bytes, seed: seed), limits: limits)
            try require(outcomes == whole, "in pieces, the outcome is \(outcomes) instead of \(whole)")
        }
    }

    /// Properties of a valid head, and of its bytes.
    static func check(_ head: RequestHead, _ consumed: [UInt8]) throws(Finding) {
        try require(consumed.suffix(4) == [13, 10, 13, 10], "the head does not end with an empty line")
        try require(!consumed.contains(0), "a head has a NUL")
        try check(head)
    }

    /// Properties of a valid head, also if the request is refused.
    static func check(_ head: RequestHead) throws(Finding) {
        for (name, value) in head.fields {
            try require(!name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }, "a field name")
            try require(value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "a field value")
        }
        try require(head.fields.values("content-length").count <= 1, "two lengths")
        let codings = head.fields.values("transfer-encoding")
        switch head.body {
        case .none: try require(codings.isEmpty, "a coding, and no body")
        case .length(let length):
            try require(length > 0 && codings.isEmpty, "a length with a coding")
        case .chunked:
            try require(!head.fields.contains("content-length"), "a coding with a length")
            try require(head.version == .http11, "a coding in HTTP/1.0")
        }
        checkReaders(of: head)
    }

    /// Calls everything that the server reads from a head.
    private static func checkReaders(of head: RequestHead) {
        _ = (head.path.raw, head.target, head.authority, head.keepAlive, head.expectsContinue)
        for segment in head.path { _ = segment.string }
        for (name, value) in head.query { _ = (name, value) }
        for condition in ["if-match", "if-none-match"] as [StaticString] {
            _ = try? EntityTagCondition(head.fields.values(condition))
        }
        let accept = AcceptHeader(head.fields.values("accept"))
        if let type = head.fields.first("content-type").flatMap(MediaType.init) { _ = accept.quality(of: type) }
        _ = Preferences(head.fields.values("prefer")).wait
    }
}
