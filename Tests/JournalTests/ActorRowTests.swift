import JSON
import Journal
import StoreHosting
import Stores
import Testing

@Suite("The stored form of a commit")
struct ActorRowTests {
    private static func row(_ actor: Actor?, privateState: [UInt8]? = nil) -> CommitRow {
        let record = CommitRecord(
            revision: 7, type: "a/b", payload: ["x": 1], origin: .client, actor: actor, cause: nil, committedAt: 5,
            changes: EncodedPatch(), privateState: privateState)
        return CommitRow(record, after: 3)
    }

    private static func bytes(_ row: CommitRow) -> [UInt8] {
        var record = RecordWriter(.plain)
        record.add(row)
        return record.bytes
    }

    /// The fields of a row up to the changes, as earlier releases wrote them too.
    private static let beginning: [UInt8] = {
        var record = RecordWriter(.plain)
        record.add(7)
        record.add(5)
        record.add("a/b")
        record.add(Array(#"{"x":1}"#.utf8))
        record.add("client")
        record.add(nil as Int?) { $0.add($1) }
        record.add(Array("[]".utf8))
        return record.bytes
    }()

    private static func checksum(_ actor: [UInt8]?, privateState: [UInt8]?) -> UInt64 {
        var checksum = Checksum(3)
        checksum.add(7)
        checksum.add(5)
        checksum.add("a/b")
        checksum.add(Array(#"{"x":1}"#.utf8))
        checksum.add("client")
        checksum.add(nil as Int?)
        checksum.add(Array("[]".utf8))
        checksum.add(privateState)
        if let actor { checksum.add(actor) }
        return checksum.value
    }

    @Test("without an actor has the bytes and the checksum that earlier releases wrote")
    func sameBytes() {
        for privateState in [nil, Array("{}".utf8)] {
            let row = Self.row(nil, privateState: privateState)
            var expected = RecordWriter(.plain, behind: Self.beginning)
            expected.add(privateState) { $0.add($1) }
            expected.add(checksum: Self.checksum(nil, privateState: privateState))
            #expect(Self.bytes(row) == expected.bytes)
        }
    }

    @Test("with an actor has another byte before its private state, and the actor behind it", arguments: [false, true])
    func actor(hasPrivateState: Bool) throws {
        let actor = Actor.user("cafe\u{301}", name: "Ada", roles: ["cashier"])
        let privateState = hasPrivateState ? Array("{}".utf8) : nil
        let row = Self.row(actor, privateState: privateState)
        let bytes = Self.bytes(row)
        #expect(bytes.starts(with: Self.beginning + [hasPrivateState ? 3 : 2]))
        let read = try RecordReader.read(.plain, bytes) { reader throws(RecordReader.Malformed) in
            let commit = try reader.commit()
            try reader.end()
            #expect(commit.follows(3) && commit.byteCount == row.byteCount)
            return CommitRow(commit)
        }
        #expect(read.follows(3))
        #expect(read.checksum == Self.checksum(actor.json, privateState: privateState))
        #expect(read.record?.namedActor == actor && read.record?.privateState == privateState)
        #expect(row.byteCount == Self.row(nil, privateState: privateState).byteCount + actor.json.count)
    }

    @Test("is damaged if its actor was changed or is none, or if a later release wrote it")
    func damage() throws {
        let row = Self.row(.user("ada"))
        func changed(_ actor: String) -> CommitRow {
            CommitRow(
                revision: row.revision, committedAt: row.committedAt, type: row.type, payload: row.payload,
                origin: row.origin, cause: nil, changes: row.changes, privateState: nil, actor: Array(actor.utf8),
                checksum: row.checksum)
        }
        #expect(!changed(#"{"kind":"user","id":"bob","roles":[]}"#).follows(3))
        #expect(changed(#"{"kind":"robot"}"#).record == nil)
        var bytes = Self.bytes(row)
        bytes[Self.beginning.count] = 4
        #expect(throws: RecordReader.Malformed.self) {
            try RecordReader.read(.plain, bytes) { reader throws(RecordReader.Malformed) in _ = try reader.commit() }
        }
    }
}
