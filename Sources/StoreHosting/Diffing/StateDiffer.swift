public import JSON
public import Stores

/// Finds the changes of a state since the previous visit of its members, and keeps its text as JSON up to date on the way.
///
/// The time is proportional to the size of the members without a token or with a new one, plus the number of changes. Long
/// members with a token are left out of the text, which is then not the whole state.
@usableFromInline
package struct StateDiffer: ~Copyable {
    /// Updated in place. It outlives the differ: see ``EncodedBaseline/update(_:)``.
    private let baseline: UnsafeMutablePointer<EncodedBaseline>
    @usableFromInline var patch = EncodedPatch()
    /// Whether there is no state yet to compare with, so that all of this one is written.
    @usableFromInline let isFirst: Bool
    /// The state as JSON at the first visit; later the values of ``changes``, one behind the other.
    @usableFromInline var text: JSONWriter
    /// The members whose values have changed their length.
    private var changes: [EncodedBaseline.Change] = []
    /// The path to the current object, while the paths of the members are not known yet.
    private var path: [StaticString] = []
    private let findsPaths: Bool
    /// Whether the text of the state has every member that was visited.
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

    /// A longer member with a token is not in the text.
    private static var maxCopiedBytes: Int { 512 }
    /// A longer table is not encoded for the text.
    private static var maxEncodedEntities: Int { 8 }

    fileprivate init(_ baseline: UnsafeMutablePointer<EncodedBaseline>) {
        self.baseline = baseline
        findsPaths = baseline.pointee.paths.isEmpty
        isFirst = baseline.pointee.memberCount == 0
        text = JSONWriter()
        if isFirst { text.beginObject() }
    }

    /// The changes, and the writer for reuse.
    fileprivate consuming func finish() -> DiffResult {
        if baseline.pointee.memberCount != members {
            failure = failure ?? "The state visits other members than before."
        }
        if isFirst {
            if !isWhole { text.endObject() }
            baseline.pointee.text = text.bytes
        } else if !changes.isEmpty {
            text.withBytes { baseline.pointee.apply(changes, values: $0) }
        }
        baseline.pointee.isComplete = isComplete && failure == nil
        return DiffResult(patch, growth, failure, text)
    }

    /// Compares a state that does not declare its members as a whole.
    @inlinable
    package mutating func whole(_ state: some JSONEncodable) {
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
        guard !isFirst else { return addFirst(start..<text.count, name) }
        let member = members
        members += 1
        guard member < baseline.pointee.memberCount else { return }
        let isEqual = text.withBytes {
            baseline.pointee.isEqual(UnsafeBufferPointer(rebasing: $0[start...]), to: member)
        }
        guard !isEqual || text.failure != nil else { return text.truncate(to: start) }
        change(member, from: start)
    }

    private mutating func change(_ member: Int, from start: Int) {
        let path = baseline.pointee.path(of: member)
        if let reason = text.failure { fail(reason, at: path) }
        let old = baseline.pointee.range(of: member)
        text.withBytes { text in
            let new = UnsafeBufferPointer(rebasing: text[start...])
            growth += new.count - old.count
            if EncodedPatch.mayHaveMembers(new) {
                patch.append(EncodedPatch(from: baseline.pointee.text[old], to: new, at: path))
            } else {
                patch.append(EncodedPatch.Operation(.replace, path, Array(new)))
            }
        }
        replace(member, start..<text.count)
    }

    /// Replaces a member in the text of the state: at once if the new value is as long as the old one.
    private mutating func replace(_ member: Int, _ value: Range<Int>) {
        let isReplaced = text.withBytes {
            baseline.pointee.replace(member, by: UnsafeBufferPointer(rebasing: $0[value]))
        }
        if isReplaced { return text.truncate(to: value.lowerBound) }
        changes.append(EncodedBaseline.Change(member: member, value: value))
        text.truncate(to: value.upperBound)
    }

    /// Adds the next member of a first state.
    ///
    /// - Parameter name: the name of the member; nil if it has none.
    private mutating func addFirst(_ range: Range<Int>, _ name: StaticString?) {
        members += 1
        if findsPaths { baseline.pointee.paths.append(pathText(name)) }
        if let reason = text.failure { fail(reason, at: baseline.pointee.path(of: members - 1)) }
        baseline.pointee.add(range)
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
    package mutating func member(_ name: StaticString, _ value: some JSONEncodable) {
        if isFirst { beginMember(name) }
        let start = text.count
        value.encode(into: &text)
        compare(from: start, name)
    }

    @inlinable
    package mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: ChangeToken) {
        if isFirst { beginMember(name) }
        let start = text.count
        if skips(stamp) { return }
        value.encode(into: &text)
        compareTracked(from: start, name)
    }

    @usableFromInline
    mutating func beginMember(_ name: StaticString) { text.name(name) }

    @inlinable
    package mutating func member(_ name: StaticString, _ part: some ObjectState) {
        self.part(name) { part.visitMembers(&$0) }
    }

    /// How many members and tokens were visited.
    @usableFromInline
    struct VisitCount: Sendable {
        let members: Int
        let tokens: Int

        static func - (one: VisitCount, other: VisitCount) -> VisitCount {
            VisitCount(members: one.members - other.members, tokens: one.tokens - other.tokens)
        }
    }

    var visited: VisitCount { VisitCount(members: members, tokens: tokens) }

    /// Leaves members as they are, which have not changed since the visit before.
    @usableFromInline
    mutating func skip(_ count: VisitCount) {
        tokens += count.tokens
        if baseline.pointee.isComplete {
            members += count.members
        } else {
            for _ in 0..<count.members { keep() }
        }
    }

    /// Visits an object, whose members `visit` visits.
    @inlinable
    mutating func part(_ name: StaticString, _ visit: (inout StateDiffer) -> Void) {
        if isFirst { beginPart(name) }
        visit(&self)
        if isFirst { endPart() }
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
        keep()
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
        exchange(from: start, isOmitted: isLong, name)
    }

    /// Leaves the next member as it is in the text of the state.
    private mutating func keep() {
        if members < baseline.pointee.memberCount, baseline.pointee.range(of: members).isEmpty { isComplete = false }
        members += 1
    }

    /// Replaces the next member by the text from `start` on, or leaves it out.
    private mutating func exchange(from start: Int, isOmitted: Bool, _ name: StaticString? = nil) {
        if isOmitted {
            isComplete = false
            text.truncate(to: start, isBehindValue: isFirst)
        }
        if isFirst { return addFirst(start..<text.count, name) }
        if members < baseline.pointee.memberCount { replace(members, start..<text.count) }
        members += 1
    }
}

// Tables: their changes are taken from the table's log.
extension StateDiffer {
    @inlinable
    package mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
        let before = beginTable(table.stamp)
        if before == table.stamp { return keepTable() }
        if let before { findChanges(of: table, since: before, at: tablePath) }
        let start = startTable()
        if isShort(table.count) { table.encodeMembers(into: &text) }
        endTable(from: start, count: table.count)
    }

    /// - Returns: the token of the previous visit; nil at the first.
    @usableFromInline
    mutating func beginTable(_ token: ChangeToken) -> ChangeToken? {
        exchange(token)
    }

    @usableFromInline var tablePath: String { findsPaths ? pathText(nil) : baseline.pointee.path(of: members) }

    /// The text of the next member as it was; nil at the first visit.
    var currentText: [UInt8]? { baseline.pointee.value(of: members) }

    @usableFromInline
    mutating func startTable() -> Int {
        text.separate()
        return text.count
    }

    @usableFromInline
    mutating func keepTable() { keep() }

    @usableFromInline
    func isShort(_ count: Int) -> Bool { count <= Self.maxEncodedEntities }

    @usableFromInline
    mutating func endTable(from start: Int, count: Int) {
        if let reason = text.failure { fail(reason, at: tablePath) }
        exchange(from: start, isOmitted: !isShort(count) || text.count - start > 2 * Self.maxCopiedBytes)
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
