import JSON
import Stores

/// The whole state of one revision as JSON, with the places of its members that have tokens.
@usableFromInline
struct StateEncoding: Sendable {
    fileprivate struct StampedMember: Sendable {
        let token: ChangeToken
        let range: Range<Int>
    }

    let revision: Int
    let json: [UInt8]
    /// The members with tokens, in the order of the visit.
    fileprivate var parts: [StampedMember] = []

    init(revision: Int, json: [UInt8]) {
        self.revision = revision
        self.json = json
    }

    /// Encodes a state. Members with the same token as in `previous` are copied from there.
    init(_ revision: Int, of state: some ObjectState, after previous: StateEncoding?) {
        var writer = SplicingWriter(after: previous)
        writer.object { state.visitMembers(&$0) }
        self.revision = revision
        parts = writer.parts
        json = writer.spliced()
    }
}

/// Writes a state with references to those parts of its previous encoding that are copied at the end.
private struct SplicingWriter: ~Copyable, MemberVisitor {
    private let previous: StateEncoding?
    private var json = JSONWriter(reservingCapacity: 1024)
    private(set) var parts: [StateEncoding.StampedMember] = []
    /// The ranges of the previous encoding, and where in the text they belong.
    private var splices: [(place: Int, source: Range<Int>)] = []
    /// How many bytes those ranges have.
    private var splicedBytes = 0

    init(after previous: StateEncoding?) { self.previous = previous }

    mutating func object(_ visit: (inout SplicingWriter) -> Void) {
        json.beginObject()
        visit(&self)
        json.endObject()
    }

    mutating func member(_ name: StaticString, _ value: some JSONEncodable) { json.member(name, value) }

    mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: ChangeToken) {
        json.name(name)
        part(stamp) { value.encode(into: &$0) }
    }

    mutating func member(_ name: StaticString, _ part: some ObjectState) {
        json.name(name)
        object { part.visitMembers(&$0) }
    }

    mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
        part(table.stamp) { table.encodeMembers(into: &$0) }
    }

    private mutating func part(_ token: ChangeToken, _ encode: (inout JSONWriter) -> Void) {
        let start = splicedBytes + json.nextStart
        if let previous, parts.count < previous.parts.count, previous.parts[parts.count].token == token {
            let source = previous.parts[parts.count].range
            // Nothing but the comma, if one is due.
            json.raw(EmptyCollection())
            splices.append((json.count, source))
            splicedBytes += source.count
        } else {
            encode(&json)
        }
        parts.append(.init(token: token, range: start..<splicedBytes + json.count))
    }

    consuming func spliced() -> [UInt8] {
        guard let previous, !splices.isEmpty else { return json.finish() }
        let splices = splices
        return [UInt8](unsafeUninitializedCapacity: json.count + splicedBytes) { target, count in
            func append(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
                let part = UnsafeMutableBufferPointer(rebasing: target[count...])
                _ = part.update(fromContentsOf: UnsafeBufferPointer(rebasing: bytes[range]))
                count += range.count
            }
            json.withBytes { text in
                var written = 0
                for (place, source) in splices {
                    append(text, written..<place)
                    previous.json.withUnsafeBufferPointer { append($0, source) }
                    written = place
                }
                append(text, written..<text.count)
            }
        }
    }
}
