import Stores

/// The newest state as JSON with the places of its members, and their change tokens, with which the next state is compared.
///
/// Members and tokens are numbered in the order of the visit, which is always the same.
@usableFromInline
struct EncodedBaseline: Sendable {
    /// The state as JSON. Without the long members with tokens, unless it ``isComplete``.
    private(set) var text: [UInt8] = []
    private(set) var isComplete = false
    /// The paths of the members, which all states of a kind share.
    @usableFromInline var paths: [String] = []
    /// Where the members are in the text; empty for those that are left out.
    private var ranges: [MemberRange] = []
    private var tokens: [ChangeToken] = []
    /// The values of the long members with tokens, by their tokens; empty for all others.
    private var longValues: [[UInt8]] = []

    init() {}

    /// The baseline of a first state.
    ///
    /// - Parameter other: the baseline of another state of the kind, if there is one.
    init(of state: some DiffableState, like other: EncodedBaseline? = nil) throws(EncodingFailure) {
        paths = other?.paths ?? []
        if let failure = update(state.findChanges).failure { throw EncodingFailure(description: failure) }
    }

    var memberCount: Int { ranges.count }

    mutating func setText(_ text: [UInt8], isComplete: Bool) { (self.text, self.isComplete) = (text, isComplete) }

    /// The path of a member: a JSON Pointer.
    func path(of member: Int) -> String { member < paths.count ? paths[member] : "" }

    /// The range of a member's JSON; nil if the member was never visited.
    func range(of member: Int) -> Range<Int>? {
        member < ranges.count ? ranges[member].range : nil
    }

    /// A member's JSON; nil if the member was never visited.
    func value(of member: Int) -> [UInt8]? { range(of: member).map { Array(text[$0]) } }

    /// - Returns: the previous range; nil if there was none.
    @inline(__always)
    mutating func exchange(_ member: Int, _ range: Range<Int>) -> Range<Int>? {
        guard member < ranges.count else {
            ranges.append(MemberRange(range))
            return nil
        }
        let old = ranges[member].range
        ranges[member] = MemberRange(range)
        return old
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

    /// The value of the member with a token that is not in the text; nil if it is in the text.
    func longValue(_ token: Int) -> [UInt8]? {
        token < longValues.count && !longValues[token].isEmpty ? longValues[token] : nil
    }

    mutating func setLongValue(_ token: Int, _ value: [UInt8]?) {
        while longValues.count <= token { longValues.append([]) }
        longValues[token] = value ?? []
    }

    /// Whether the bytes in `range` are equal to `json`.
    func isEqual(_ json: UnsafeRawBufferPointer, at range: Range<Int>) -> Bool {
        guard range.count == json.count else { return false }
        return text.withUnsafeBytes { Self.areEqual(UnsafeRawBufferPointer(rebasing: $0[range]), json) }
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
}

private struct MemberRange {
    private let start: Int32
    private let end: Int32

    @inline(__always)
    init(_ range: Range<Int>) {
        start = Int32(truncatingIfNeeded: range.lowerBound)
        end = Int32(truncatingIfNeeded: range.upperBound)
    }

    @inline(__always)
    var range: Range<Int> { Range(uncheckedBounds: (Int(start), Int(end))) }
}

/// A state that cannot be encoded, because the `encode(to:)` of a value throws.
struct EncodingFailure: Error, CustomStringConvertible {
    let description: String
}
