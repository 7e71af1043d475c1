public import JSON

/// Visits the members of a state and finds what has changed since the visit before.
///
/// It takes time in the size of the members that have no stamp, or a fresh one, and in the number of changes.
public struct ChangeFinder: ~Copyable {
    @usableFromInline var trace: StateTrace
    @usableFromInline var patch = StatePatch()
    /// The member at hand as JSON.
    @usableFromInline var scratch = JSONWriter(reservingCapacity: 128)
    /// The way to the object at hand.
    @usableFromInline var path: [StaticString] = []
    /// How many members, and how many stamps, were visited.
    private var members = 0
    private var stamps = 0

    init(_ trace: StateTrace) { self.trace = trace }

    /// What was found, and the writer, which is of no use here any more.
    consuming func finish() -> Finding { Finding(patch, scratch) }

    /// Looks at a state that names no members: everything is compared.
    @inlinable
    public mutating func whole(_ state: some JSONEncodable) {
        scratch.clear()
        state.encode(into: &scratch)
        compare(nil)
    }

    /// Compares what is in `scratch` with what stood there.
    @usableFromInline
    mutating func compare(_ name: StaticString?) {
        let member = members
        let range = trace.range(of: member)
        members += 1
        scratch.withBytes { new in
            if let range {
                if trace.holds(UnsafeRawBufferPointer(new), at: range) { return }
                patch.append(StatePatch(from: trace.bytes[range], to: new, at: name.map { text(of: $0) } ?? ""))
            }
            trace.set(member, at: range, to: new)
        }
    }

    /// - Returns: whether the member is what it was.
    @usableFromInline
    mutating func skips(_ stamp: Stamp) -> Bool {
        guard exchange(stamp) == stamp else { return false }
        members += 1
        return true
    }

    /// - Returns: the stamp of the visit before; nil at the first.
    @usableFromInline
    mutating func exchange(_ stamp: Stamp) -> Stamp? {
        stamps += 1
        return trace.exchange(stamps - 1, stamp)
    }

    @usableFromInline
    func text(of name: StaticString) -> String {
        var text: [UInt8] = []
        for step in path + CollectionOfOne(name) {
            text.append(UInt8(ascii: "/"))
            step.withUTF8Buffer { text.append(contentsOf: $0) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension ChangeFinder: StateMembers {
    @inlinable
    public mutating func member(_ name: StaticString, _ value: some JSONEncodable) {
        scratch.clear()
        value.encode(into: &scratch)
        compare(name)
    }

    @inlinable
    public mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: Stamp) {
        if !skips(stamp) { member(name, value) }
    }

    @inlinable
    public mutating func member(_ name: StaticString, _ part: some StateObject) {
        path.append(name)
        part.visit(&self)
        path.removeLast()
    }
}

/// What has changed in a state.
struct Finding: ~Copyable {
    let patch: StatePatch
    /// To be used again.
    private var writer: JSONWriter

    init(_ patch: StatePatch, _ writer: consuming JSONWriter) {
        self.patch = patch
        self.writer = writer
        self.writer.clear()
    }

    /// The writer, without text.
    consuming func rest() -> JSONWriter { writer }
}
