import FuzzProperties
import HTTP
import HTTPRules
import StoresTesting
import Testing

struct HostileInputTests {
    /// Any input has an outcome that does not depend on the pieces.
    @Test(arguments: 0..<8)
    func damagedRequestsParseDeterministically(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for row in Row.all where row.bytes.count < 1000 {
            let bytes = random.mutated([row.bytes])
            let whole = RequestReader.report(bytes)
            #expect(
                RequestReader.report(bytes, pieces: Int.random(in: 1...9, using: &random)) == whole, "\(row), \(bytes)")
        }
    }

    @Test(arguments: 0..<20)
    func chunkedBodiesRoundTrip(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let pieces = (0..<Int.random(in: 0...6, using: &random)).map { _ in
            (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        var coded: [UInt8] = []
        for piece in pieces { ChunkedCoding.append(piece, to: &coded) }
        coded.append(contentsOf: ChunkedCoding.end)

        var decoder = BodyDecoder(.chunked, limits: HTTPLimits())
        var rest = coded[...]
        var waiting: [UInt8] = []
        var isDone = false
        while !isDone, !rest.isEmpty {
            let piece = Int.random(in: 1...200, using: &random)
            waiting.append(contentsOf: rest.prefix(piece))
            rest = rest.dropFirst(piece)
            switch waiting.withUnsafeBytes({ decoder.decode($0) }) {
            case .needMore(let consumed): waiting.removeFirst(consumed)
            case .done(let consumed):
                waiting.removeFirst(consumed)
                isDone = true
            case .failed(let failure): Issue.record("\(failure)")
            }
        }
        #expect(isDone && waiting.isEmpty)
        #expect(decoder.body == pieces.flatMap { $0 })
    }

    @Test
    func manyShortFieldLinesTakeLinearTime() {
        let limits = HTTPLimits(maxHeaderBytes: 1 << 16)
        let lines = String(repeating: "a:\r\n", count: 16000)
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n".utf8)
        #expect(RequestReader.report(bytes, limits: limits, pieces: 4) == ["GET / keep"])
    }
}
