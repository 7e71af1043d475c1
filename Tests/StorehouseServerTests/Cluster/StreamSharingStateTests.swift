import Sessions
import StorehouseServer
import Testing

/// What one client has of the events that it shares.
struct JoinedPositionTests {
    private func frame(_ revision: Int, _ count: Int = 1) -> EventFrame {
        EventFrame(revision, EncodedEvent(sharing: [UInt8](repeating: 1, count: count)))
    }

    @Test func sharedEventsWaitForTheInitialOnes() {
        var position = JoinedPosition(limit: 10)
        for revision in 3...6 { #expect(position.take(frame(revision), pendingBytes: 0) == .ignore) }
        #expect(!position.isFollowing)
        let frames = position.open(at: 4) ?? []
        #expect(frames.map { position.take($0, pendingBytes: 0) } == [.ignore, .ignore, .send, .send])
        #expect(position.revision == 6)
        #expect(position.sentCount == 2)
        #expect(position.take(frame(6), pendingBytes: 0) == .ignore, "the client has it")
    }

    @Test func aClientLeavesIfEventsAreMissingBehindTheInitialOnes() {
        var position = JoinedPosition(limit: 10)
        for revision in 1...3 { _ = position.take(frame(revision, 5), pendingBytes: 0) }
        // Two have room, so the first is gone.
        var later = position
        #expect(position.open(at: 0) == nil)
        #expect(position.take(frame(4), pendingBytes: 0) == .ignore)
        #expect(later.open(at: 1)?.map(\.revision) == [2, 3])
    }

    @Test func aSlowClientLeavesOnce() {
        var position = JoinedPosition(limit: 10)
        _ = position.open(at: 0)
        #expect(position.take(frame(1, 100), pendingBytes: 0) == .send)
        #expect(position.take(frame(2, 4), pendingBytes: 6) == .send)
        #expect(position.take(frame(3, 5), pendingBytes: 6) == .leave)
        #expect(position.take(frame(4), pendingBytes: 0) == .ignore)
        #expect(position.sharedStreamEnded() == false)
        #expect((position.revision, position.sentCount) == (2, 2))
    }

    @Test func aFrameOfItsOwnWaitsForTheEventsBeforeIt() {
        var position = JoinedPosition(limit: 10)
        _ = position.open(at: 3)
        #expect(position.hasEvents(upTo: 0))
        #expect(!position.hasEvents(upTo: 4))
        _ = position.take(frame(4), pendingBytes: 0)
        #expect(position.hasEvents(upTo: 4))
    }

    @Test func aClientLeavesWhenTheSharedStreamEnds() {
        var following = JoinedPosition(limit: 10)
        _ = following.open(at: 3)
        #expect(following.sharedStreamEnded() == true)
        #expect(following.sharedStreamEnded() == false)
        var opening = JoinedPosition(limit: 10)
        #expect(opening.sharedStreamEnded() == false)
        #expect(opening.open(at: 9) == nil)
    }
}

/// Which clients share a stream.
struct StreamAdmissionTests {
    @Test func theSecondClientOpensTheSharedStreamAndLaterOnesJoin() {
        var admission = StreamAdmission()
        #expect(admission.arrives() == .pass)
        #expect(admission.answered(isStream: true, othersWait: false) == false)
        #expect(!admission.isWaiting)
        #expect(admission.arrives() == .open)
        #expect(admission.arrives() == .wait)
        admission.opened()
        #expect(admission.arrives() == .join)
        #expect(admission.answered(isStream: true, othersWait: false) == false)
        admission.sharedStreamEnded()
        #expect(admission.arrives() == .open)
    }

    @Test func clientsThatComeTogetherWaitForTheFirst() {
        var admission = StreamAdmission()
        _ = admission.arrives()
        #expect(admission.arrives() == .wait)
        #expect(admission.answered(isStream: true, othersWait: true) == true)
        #expect(admission.answered(isStream: true, othersWait: true) == false)
        #expect(admission.isWaiting)
    }

    @Test func afterARefusalTheNextClientTriesAgain() {
        var admission = StreamAdmission()
        _ = admission.arrives()
        #expect(admission.answered(isStream: false, othersWait: true) == false)
        #expect(!admission.isWaiting)
        #expect(admission.arrives() == .open)
        admission.sharedStreamEnded()
        #expect(!admission.isWaiting)
        #expect(admission.arrives() == .open)
    }
}

/// How frames are read, whatever pieces they come in.
struct StreamFrameParserTests {
    private func read(_ text: String, by count: Int, readsFrames: Bool = true) -> String {
        var parser = StreamFrameParser(readsFrames: readsFrames)
        var found = ""
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: count) {
            bytes[start..<min(start + count, bytes.count)].withUnsafeBytes { piece in
                var piece = piece
                while let element = parser.next(&piece) {
                    switch element {
                    case .line(let first, let second): found += "[\(first),\(second)]"
                    case .part(_, let part, let isLast):
                        found += String(decoding: part, as: UTF8.self) + (isLast ? ";" : "")
                    case .rest(let rest): found += String(decoding: rest, as: UTF8.self)
                    case .malformed: found += "!"
                    }
                }
            }
        }
        return found
    }

    @Test func framesAreReadFromPiecesOfAnyLength() {
        let text = "7 3\na\nb0 0\n9 2\n\n\n*\n1 2\nx"
        for count in 1...text.utf8.count {
            #expect(read(text, by: count) == "[7,3]a\nb;[0,0];[9,2]\n\n;1 2\nx")
        }
    }

    @Test(arguments: ["x\n", "1\n", "1 -2\n", "1 2 3\n", " 1\n", "\n", "1 1234567890123456789\n", "12 *\n"])
    func nothingElseIsAccepted(_ text: String) {
        #expect(read(text + "5 1\na", by: 2) == "!")
    }

    @Test func anEndlessLineIsNotKept() { #expect(read(String(repeating: "1", count: 100), by: 1) == "!") }

    @Test func linesWithoutFrames() {
        #expect(read("5 7\n6 8\n", by: 3, readsFrames: false) == "[5,7][6,8]")
        #expect(read("*\n", by: 3, readsFrames: false) == "!")
    }
}
