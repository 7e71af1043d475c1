import Cluster
import Testing

/// How frames are written and read, whatever pieces they come in.
struct LinkFrameTests {
    /// The frames in bytes that come in pieces of this length; `!` where they are none.
    private func read(_ bytes: [UInt8], by count: Int = .max) -> [String] {
        var (reader, frames): (LinkFrameReader, [String]) = (LinkFrameReader(), [])
        do throws(LinkVersion.Failure) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(count))
                rest = rest.dropFirst(count)
                let result = piece.withUnsafeBytes { piece in
                    Result { () throws(LinkVersion.Failure) in
                        try reader.read(piece) {
                            frames.append(Self.text($0))
                            return true
                        }
                    }
                }
                try result.get()
            }
        } catch {
            frames.append("!")
        }
        return frames
    }

    private static func text(_ frame: LinkFrame) -> String {
        func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
        return switch frame {
        case .proof(let proof): "proof \(text(proof))"
        case .start(let number, let head, let length, let piece):
            "start \(number) \(text(head)) \(length.map(String.init) ?? "-") \(text(piece))"
        case .piece(let number, let piece): "piece \(number) \(text(piece))"
        case .sharedPiece(let numbers, let piece): "shared \(numbers.map { "\($0)," }.joined())\(text(piece))"
        case .end(let number): "end \(number)"
        case .cancel(let number): "cancel \(number)"
        case .credit(let number, let count): "credit \(number) \(count)"
        case .ping: "ping"
        case .pong: "pong"
        case .leave: "leave"
        }
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static let frames =
        LinkFrame.proof("p") + LinkFrame.start(65536, bytes("head"), bodyLength: 3, bytes("ab")[...])
        + LinkFrame.start(65537, bytes("head"), bodyLength: nil, []) + LinkFrame.piece(65536, bytes("c")[...])
        + LinkStreams.frame(of: LinkPiece([bytes("x"), bytes("yz")]), for: [65537, 70000]) + LinkStreams.ping
        + LinkStreams.pong + LinkStreams.leave

    @Test(arguments: [1, 2, 3, 7, 64, .max])
    func framesAreReadFromPiecesOfAnyLength(_ count: Int) {
        #expect(
            read(Self.frames, by: count) == [
                "proof p", "start 65536 head 3 ab", "start 65537 head - ", "piece 65536 c", "shared 65537,70000,xyz",
                "ping", "pong", "leave",
            ])
    }

    /// The length, the kind and the number of the stream come first.
    @Test(arguments: [
        [0, 0, 0, 0], [0, 0, 0, 4, 5, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0x20, 0, 1],
        [0, 0, 0, 5, 10, 0, 0, 0, 0],
        [0, 0, 0, 5, 4, 0, 0, 0, 0], [0, 0, 0, 6, 4, 0, 1, 0, 0, 1], [0, 0, 0, 5, 2, 0, 1, 0, 0],
        [0, 0, 0, 6, 7, 0, 0, 0, 0, 1], [0, 0, 0, 5, 7, 0, 0, 0, 1], [0, 0, 0, 8, 6, 0, 1, 0, 0, 0, 0, 1],
        // A head that is longer than its frame, and a list of streams without bytes.
        [0, 0, 0, 17, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1],
        [0, 0, 0, 9, 3, 0, 0, 0, 1, 0, 1, 0, 0], [0, 0, 0, 6, 3, 0, 0, 0, 0, 1],
    ])
    func nothingElseIsRead(_ bytes: [UInt8]) {
        for count in [1, Int.max] { #expect(read(bytes, by: count) == ["!"]) }
    }

    @Test func aLongPieceIsNotRead() {
        let longest = [UInt8](repeating: 0x61, count: LinkFrame.maxPieceBytes)
        #expect(read(LinkFrame.piece(65536, longest[...])).first?.hasPrefix("piece") == true)
        #expect(read(LinkFrame.piece(65536, (longest + [0x61])[...])) == ["!"])
    }
}
