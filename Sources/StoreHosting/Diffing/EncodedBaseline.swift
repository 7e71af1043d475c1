import Stores

/// The newest state as JSON with the places of its members, and their change tokens, with which the next state is compared.
///
/// Members and tokens are numbered in the order of the visit, which is always the same.
@usableFromInline
struct EncodedBaseline: Sendable {
    /// The state as JSON. Without the long members with tokens, unless it ``isComplete``.
    var text: [UInt8] = []
    var isComplete = false
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

    /// The path of a member: a JSON Pointer.
    func path(of member: Int) -> String { member < paths.count ? paths[member] : "" }

    /// The range of a visited member's JSON.
    func range(of member: Int) -> Range<Int> { ranges[member].range }

    /// A member's JSON; nil if the member was never visited.
    func value(of member: Int) -> [UInt8]? { member < ranges.count ? Array(text[range(of: member)]) : nil }

    /// Adds the next member.
    mutating func add(_ range: Range<Int>) { ranges.append(MemberRange(range)) }

    /// A member, and where its new value is among those of all changes.
    struct Change {
        let member: Int
        let value: Range<Int>
    }

    /// Replaces a member by a value of the same length.
    ///
    /// - Returns: false if the lengths differ.
    mutating func replace(_ member: Int, by value: UnsafeBufferPointer<UInt8>) -> Bool {
        let range = ranges[member].range
        guard range.count == value.count else { return false }
        text.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[range]).copyBytes(from: value) }
        return true
    }

    /// Replaces members by values of other lengths, in the order of the members.
    mutating func apply(_ changes: [Change], values: UnsafeBufferPointer<UInt8>) {
        text = text(after: changes, values)
        moveRanges(changes)
    }

    private func text(after changes: [Change], _ values: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var new: [UInt8] = []
        new.reserveCapacity(changes.reduce(text.count) { $0 + $1.value.count - ranges[$1.member].range.count })
        var end = 0
        for change in changes {
            let old = ranges[change.member].range
            new.append(contentsOf: text[end..<old.lowerBound])
            new.append(contentsOf: values[change.value])
            end = old.upperBound
        }
        new.append(contentsOf: text[end...])
        return new
    }

    private mutating func moveRanges(_ changes: [Change]) {
        var (distance, next) = (0, changes.startIndex)
        for member in changes[next].member..<ranges.count {
            let old = ranges[member].range
            let start = old.lowerBound + distance
            if next < changes.endIndex, changes[next].member == member {
                distance += changes[next].value.count - old.count
                next += 1
            }
            ranges[member] = MemberRange(start..<old.upperBound + distance)
        }
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

    /// Whether a visited member's JSON is equal to `json`.
    @inline(__always)
    func isEqual(_ json: UnsafeBufferPointer<UInt8>, to member: Int) -> Bool {
        let range = ranges[member].range
        guard range.count == json.count else { return false }
        return text.withUnsafeBytes {
            Self.areEqual(UnsafeRawBufferPointer(rebasing: $0[range]), UnsafeRawBufferPointer(json))
        }
    }

    // Compares several bytes at a time, because every commit compares every member. The last of them may overlap those before.
    @inline(__always)
    static func areEqual(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) -> Bool {
        let count = new.count
        guard old.count == count else { return false }
        if count >= 8 { return areEqual(old, new, by: UInt64.self) }
        if count >= 4 { return areEqual(old, new, by: UInt32.self) }
        var offset = 0
        while offset < count, new[offset] == old[offset] { offset += 1 }
        return offset == count
    }

    /// - Parameter word: must be no longer than the bytes.
    @inline(__always)
    private static func areEqual<Word: BitwiseCopyable & Equatable>(
        _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, by word: Word.Type
    ) -> Bool {
        let (size, last) = (MemoryLayout<Word>.size, new.count - MemoryLayout<Word>.size)
        var offset = 0
        while true {
            let other = old.loadUnaligned(fromByteOffset: offset, as: word)
            if new.loadUnaligned(fromByteOffset: offset, as: word) != other { return false }
            if offset == last { return true }
            offset = min(offset + size, last)
        }
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
