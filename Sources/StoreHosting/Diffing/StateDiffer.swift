public import JSON
public import Stores

/// Finds the changes of a state since the previous visit of its members, and writes the state as JSON on the way.
///
/// The time is proportional to the size of the members without a token or with a new one, plus the number of changes. Long
/// members whose token is unchanged are left out of the text, which is then not the whole state.
public struct StateDiffer: ~Copyable {
    /// Updated in place. It outlives the differ: see ``EncodedBaseline/update(_:)``.
    private let baseline: UnsafeMutablePointer<EncodedBaseline>
    @usableFromInline var patch = EncodedPatch()
    /// The visited members as JSON.
    @usableFromInline var text: JSONWriter
    /// The path to the current object, while the paths of the members are not known yet.
    private var path: [StaticString] = []
    private let findsPaths: Bool
    /// Whether the text has every member that was visited.
    private var isComplete = true
    private var isWhole = false
    /// By how many bytes the JSON of the state has grown, or more: the size of values that a table no longer has is not
    /// known.
    @usableFromInline var growth = 0
    /// Why a value could not be encoded; nil if all could.
    private(set) var failure: String?
    /// The number of members and of tokens that were visited.
    private var members = 0
    private var tokens = 0

    /// A longer member with an unchanged token is not copied into the text.
    private static var maxCopiedBytes: Int { 512 }
    /// A longer table is not encoded for the text.
    private static var maxEncodedEntities: Int { 8 }

    fileprivate init(_ baseline: UnsafeMutablePointer<EncodedBaseline>) {
        self.baseline = baseline
        findsPaths = baseline.pointee.paths.isEmpty
        text = JSONWriter(reservingCapacity: baseline.pointee.text.count + 64)
        text.beginObject()
    }

    /// The changes, and the writer for reuse.
    fileprivate consuming func finish() -> DiffResult {
        if !isWhole { text.endObject() }
        if baseline.pointee.memberCount != members {
            failure = failure ?? "The state visits other members than before."
        }
        baseline.pointee.setText(text.bytes, isComplete: isComplete && failure == nil)
        return DiffResult(patch, growth, failure, text)
    }

    /// Compares a state that does not declare its members as a whole.
    @inlinable
    public mutating func whole(_ state: some JSONEncodable) {
        beginWhole()
        state.encode(into: &text)
        compare(from: 0, nil)
    }

    @usableFromInline
    mutating func beginWhole() {
        isWhole = true
        text.clear()
    }

    /// Compares the text from `start` on with the baseline of the next member.
    @usableFromInline
    mutating func compare(from start: Int, _ name: StaticString?) {
        let end = text.count
        let old = exchange(start..<end, name)
        if let reason = text.failure { fail(reason, at: baseline.pointee.path(of: members - 1)) }
        guard let old else { return }
        text.withBytes { text in
            let new = UnsafeRawBufferPointer(start: text.baseAddress.map { $0 + start }, count: end - start)
            if baseline.pointee.isEqual(new, at: old) { return }
            growth += new.count - old.count
            patch.append(
                EncodedPatch(from: baseline.pointee.text[old], to: new, at: baseline.pointee.path(of: members - 1)))
        }
    }

    /// Stores the range of the next member.
    ///
    /// - Parameter name: the name of the member; nil if it has none.
    /// - Returns: the range of the previous visit; nil at the first.
    private mutating func exchange(_ range: Range<Int>, _ name: StaticString?) -> Range<Int>? {
        members += 1
        if findsPaths { baseline.pointee.paths.append(pathText(name)) }
        return baseline.pointee.exchange(members - 1, range)
    }

    @usableFromInline
    mutating func fail(_ reason: String?, at path: String) {
        let place = path.isEmpty ? "The state" : "The member \(path) of the state"
        failure = failure ?? reason.map { "\(place) cannot be encoded: its encode(to:) \($0)" }
    }

    /// Stores the next token.
    ///
    /// - Returns: the token of the previous visit; nil at the first.
    private mutating func exchange(_ token: ChangeToken) -> ChangeToken? {
        tokens += 1
        return baseline.pointee.exchange(tokens - 1, token)
    }

    private func pathText(_ name: StaticString?) -> String {
        var text = ""
        for step in path + (name.map { [$0] } ?? []) { text += "/\(step)" }
        return text
    }
}

extension StateDiffer: MemberVisitor {
    @inlinable
    public mutating func member(_ name: StaticString, _ value: some JSONEncodable) {
        text.name(name)
        let start = text.count
        value.encode(into: &text)
        compare(from: start, name)
    }

    @inlinable
    public mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: ChangeToken) {
        text.name(name)
        let start = text.count
        if skips(stamp) { return }
        value.encode(into: &text)
        compareTracked(from: start, name)
    }

    @inlinable
    public mutating func member(_ name: StaticString, _ part: some ObjectState) {
        self.part(name) { part.visitMembers(&$0) }
    }

    /// Visits an object, whose members `visit` visits.
    @inlinable
    mutating func part(_ name: StaticString, _ visit: (inout StateDiffer) -> Void) {
        beginPart(name)
        visit(&self)
        endPart()
    }

    @usableFromInline
    mutating func beginPart(_ name: StaticString) {
        if findsPaths { path.append(name) }
        text.name(name)
        text.beginObject()
    }

    @usableFromInline
    mutating func endPart() {
        if findsPaths { path.removeLast() }
        text.endObject()
    }
}

// Members with tokens.
extension StateDiffer {
    /// - Returns: whether the member, whose name is written, is unchanged; it is not encoded then.
    @usableFromInline
    mutating func skips(_ token: ChangeToken) -> Bool {
        guard exchange(token) == token else { return false }
        copyUnchanged()
        return true
    }

    /// Compares the text from `start` on with the previous value of the member whose token was exchanged last.
    @usableFromInline
    mutating func compareTracked(from start: Int, _ name: StaticString) {
        let old = baseline.pointee.longValue(tokens - 1)
        let isLong = text.count - start > Self.maxCopiedBytes
        guard isLong || old != nil else { return compare(from: start, name) }
        let path = findsPaths ? pathText(name) : baseline.pointee.path(of: members)
        if let reason = text.failure { fail(reason, at: path) }
        let new = text.withBytes { Array($0[start...]) }
        if let old = old ?? baseline.pointee.value(of: members), old != new {
            growth += new.count - old.count
            patch.append(EncodedPatch(from: old, to: new, at: path))
        }
        baseline.pointee.setLongValue(tokens - 1, isLong ? new : nil)
        if isLong { return omit(from: start, name) }
        exchangeRange(from: start, name)
    }

    /// Copies the unchanged text of the next member, unless it is long.
    private mutating func copyUnchanged() {
        let start = text.nextStart
        guard let value = baseline.pointee.range(of: members), !value.isEmpty else { return omit(from: text.count) }
        baseline.pointee.text.withUnsafeBufferPointer { text.raw(UnsafeBufferPointer(rebasing: $0[value])) }
        exchangeRange(from: start)
    }

    /// Leaves the next member out of the text, of which the bytes from `start` on are its own.
    private mutating func omit(from start: Int, _ name: StaticString? = nil) {
        text.truncate(to: start)
        isComplete = false
        exchangeRange(from: start, name)
    }

    private mutating func exchangeRange(from start: Int, _ name: StaticString? = nil) {
        _ = exchange(start..<text.count, name)
    }
}

// Tables: their changes are taken from the table's log.
extension StateDiffer {
    @inlinable
    public mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
        let before = beginTable(table.stamp)
        if before == table.stamp { return copyTable() }
        if let before { findChanges(of: table, since: before, at: tablePath) }
        let start = tableStart
        if isShort(table.count) { table.encodeMembers(into: &text) }
        endTable(from: start, count: table.count)
    }

    /// - Returns: the token of the previous visit; nil at the first.
    @usableFromInline
    mutating func beginTable(_ token: ChangeToken) -> ChangeToken? {
        exchange(token)
    }

    @usableFromInline var tablePath: String { findsPaths ? pathText(nil) : baseline.pointee.path(of: members) }

    @usableFromInline var tableStart: Int { text.nextStart }

    @usableFromInline
    mutating func copyTable() { copyUnchanged() }

    @usableFromInline
    func isShort(_ count: Int) -> Bool { count <= Self.maxEncodedEntities }

    @usableFromInline
    mutating func endTable(from start: Int, count: Int) {
        if let reason = text.failure { fail(reason, at: tablePath) }
        guard isShort(count), text.count - start <= 2 * Self.maxCopiedBytes else {
            return omit(from: min(start, text.count))
        }
        exchangeRange(from: start)
    }
}

extension EncodedBaseline {
    /// Makes this the baseline of the state that `visit` passes to the differ.
    ///
    /// - Returns: what has changed since the state before.
    mutating func update(_ visit: (inout StateDiffer) -> Void) -> DiffResult {
        withUnsafeMutablePointer(to: &self) { place in
            var differ = StateDiffer(place)
            visit(&differ)
            return differ.finish()
        }
    }
}

/// The changes of a state.
struct DiffResult: ~Copyable {
    let patch: EncodedPatch
    let growth: Int
    /// Why a value could not be encoded; nil if all could.
    let failure: String?
    /// A writer to reuse.
    private var writer: JSONWriter

    init(_ patch: EncodedPatch, _ growth: Int, _ failure: String?, _ writer: consuming JSONWriter) {
        self.patch = patch
        self.growth = growth
        self.failure = failure
        self.writer = writer
        self.writer.clear()
    }

    /// The empty writer.
    consuming func takeWriter() -> JSONWriter { writer }
}
