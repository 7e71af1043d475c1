import Stores

/// What is remembered of a state, to tell later what has changed: the JSON of its members, and stamps of what has some.
///
/// One of each member in the order of the visit, which is always the same.
@usableFromInline
struct EncodedBaseline: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Where the JSON of each member ends.
    private var ends: [Int32] = []
    private var stamps: [ChangeToken] = []

    init() {}

    /// What there is to remember of a state that is seen for the first time.
    init(of state: some HostedState) {
        var finder = StateDiffer(EncodedBaseline())
        state.findChanges(&finder)
        self = finder.trace
    }

    /// The JSON of a member; nil where it was never visited.
    func range(of member: Int) -> Range<Int>? {
        guard member < ends.count else { return nil }
        return (member == 0 ? 0 : Int(ends[member - 1]))..<Int(ends[member])
    }

    /// Whether the same bytes stand there. Eight are compared at a time, since this is done with each member at each commit.
    func holds(_ json: UnsafeRawBufferPointer, at range: Range<Int>) -> Bool {
        guard range.count == json.count else { return false }
        return bytes.withUnsafeBytes { Self.areEqual(UnsafeRawBufferPointer(rebasing: $0[range]), json) }
    }

    static func areEqual(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) -> Bool {
        guard old.count == new.count else { return false }
        var offset = 0
        while offset + 8 <= new.count {
            let word = new.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if word != old.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
            offset += 8
        }
        while offset < new.count, new[offset] == old[offset] { offset += 1 }
        return offset == new.count
    }

    /// - Parameter range: where the member stands; nil for one that is visited for the first time.
    mutating func set(_ member: Int, at range: Range<Int>?, to json: UnsafeBufferPointer<UInt8>) {
        guard let range else {
            bytes.append(contentsOf: json)
            ends.append(Int32(truncatingIfNeeded: bytes.count))
            return
        }
        bytes.replaceSubrange(range, with: json)
        let growth = Int32(truncatingIfNeeded: json.count - range.count)
        guard growth != 0 else { return }
        for index in member..<ends.count { ends[index] += growth }
    }

    /// - Returns: the stamp of before; nil where there was none.
    mutating func exchange(_ place: Int, _ stamp: ChangeToken) -> ChangeToken? {
        guard place < stamps.count else {
            stamps.append(stamp)
            return nil
        }
        defer { stamps[place] = stamp }
        return stamps[place]
    }
}
