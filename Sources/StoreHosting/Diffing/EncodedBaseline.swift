import Stores

/// The encoded members of a state and their change tokens, with which the next state is compared.
///
/// Members and tokens are numbered in the order of the visit, which is always the same.
@usableFromInline
struct EncodedBaseline: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The offset of the end of each member's JSON.
    private var ends: [Int32] = []
    private var tokens: [ChangeToken] = []

    init() {}

    /// The baseline of a first state.
    init(of state: some HostedState) {
        var differ = StateDiffer(EncodedBaseline())
        state.findChanges(&differ)
        self = differ.baseline
    }

    /// The range of a member's JSON; nil if the member was never visited.
    func range(of member: Int) -> Range<Int>? {
        guard member < ends.count else { return nil }
        return (member == 0 ? 0 : Int(ends[member - 1]))..<Int(ends[member])
    }

    /// Whether the bytes in `range` are equal to `json`.
    func isEqual(_ json: UnsafeRawBufferPointer, at range: Range<Int>) -> Bool {
        guard range.count == json.count else { return false }
        return bytes.withUnsafeBytes { Self.areEqual(UnsafeRawBufferPointer(rebasing: $0[range]), json) }
    }

    // Compares eight bytes at a time, because every commit compares every member.
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

    /// - Parameter range: the range of the member's JSON; nil at the first visit.
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

    /// - Returns: the previous token; nil if there was none.
    mutating func exchange(_ index: Int, _ token: ChangeToken) -> ChangeToken? {
        guard index < tokens.count else {
            tokens.append(token)
            return nil
        }
        defer { tokens[index] = token }
        return tokens[index]
    }
}
