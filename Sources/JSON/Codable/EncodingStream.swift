/// Encodes a value straight into a ``JSONWriter``.
///
/// Swift's encoding containers have no end: writing to an outer container ends the ones inside. The stream knows the open
/// containers, and closes those inside of the one that is written to. Code that writes to a container again after it was
/// closed, or encodes a member twice, cannot be streamed; the value is then encoded again as a tree of ``EncodingNode``.
///
/// Each place for a value has a ticket, a number by which a container or encoder is recognized if its place is gone.
final class EncodingStream {
    private struct Frame {
        let ticket: Int
        let isArray: Bool
        /// The length of the entries to sort; 0 to leave the order.
        let entryLength: Int
        /// The index of the first of its names.
        let firstName: Int
        var count = 0
        /// Where each element or member begins, if they are sorted.
        var starts: [Int] = []
        /// The names, once there are many.
        var manyNames: Set<CodePointString>?
    }

    /// Ends a value that cannot be streamed; the error itself is never reported.
    private struct NotStreamable: Error {}

    // The properties are not checked for exclusive access, because the checks take as long as the encoding. No access
    // to one of them lasts while the code of a value runs.

    /// Valid until the end.
    private let json: UnsafeMutablePointer<JSONWriter>
    /// Whether nothing more may be written.
    @exclusivity(unchecked) private var isStopped = false
    @exclusivity(unchecked) private var isStreamable = true
    @exclusivity(unchecked) private var failure: (any Error)?
    @exclusivity(unchecked) private var frames: [Frame] = []
    /// The names of the open objects, up to the current member of each.
    @exclusivity(unchecked) private var names: [String] = []
    /// The place whose value is not written yet; 0 for none.
    @exclusivity(unchecked) private var pending = 0
    @exclusivity(unchecked) private var pendingEntryLength = 0
    @exclusivity(unchecked) private var lastTicket = 0
    @exclusivity(unchecked) private var calls = 0

    init(_ json: UnsafeMutablePointer<JSONWriter>) {
        self.json = json
        frames.reserveCapacity(4)
        names.reserveCapacity(8)
    }

    /// No container that was kept may write from now on.
    func end() { isStopped = true }

    /// - Returns: Whether the JSON is complete; if not, it must be removed.
    func encodes(_ value: some Encodable) throws -> Bool {
        do {
            try nested(value, at: 0)
        } catch {
            guard isStreamable else { return false }
            throw error
        }
        if isStreamable, let failure { throw failure }
        return isStreamable
    }

    // MARK: Containers

    /// Opens a container in a place, or continues the one that is open there.
    func open(_ ticket: Int, at depth: Int, isArray: Bool) {
        guard !isStopped else { return }
        if pending == ticket {
            push(ticket, isArray: isArray)
        } else if !isOpen(ticket, at: depth) || frames[depth].isArray != isArray {
            cannotStream()
        }
    }

    func count(_ ticket: Int, at depth: Int) -> Int { isOpen(ticket, at: depth) ? frames[depth].count : 0 }

    /// Writes an element, or the member with that name.
    @inline(__always)
    func put<Value: Encodable>(_ value: Value, _ name: String?, in ticket: Int, at depth: Int) throws {
        let mark = try enter(name, ticket, depth)
        if json.pointee.scalar(value) { return }
        do {
            try nested(value, at: depth + 1)
        } catch {
            leave(name, ticket, depth, mark)
            throw error
        }
    }

    func putNil(_ name: String?, in ticket: Int, at depth: Int) throws {
        _ = try enter(name, ticket, depth)
        json.pointee.null()
    }

    /// A place for an element, or for the member with that name.
    func place(_ name: String?, in ticket: Int, at depth: Int) -> EncodingPlace {
        lastTicket += 1
        if (try? enter(name, ticket, depth)) != nil {
            pending = lastTicket
            pendingEntryLength = 0
        }
        return .stream(self, lastTicket, depth: depth + 1)
    }

    // MARK: Single values

    func encodeSingle<Value: Encodable>(_ value: Value, _ ticket: Int, at depth: Int) throws {
        try take(ticket)
        let mark = json.pointee.mark
        if json.pointee.scalar(value) { return }
        let outer = frames.last?.ticket
        do {
            try nested(value, at: depth)
        } catch {
            close(downTo: depth)
            if frames.last?.ticket != outer { cannotStream() }
            json.pointee.rewind(to: mark)
            pending = ticket
            throw error
        }
    }

    func encodeNil(_ ticket: Int) throws {
        try take(ticket)
        json.pointee.null()
    }

    func path(to depth: Int) -> [any CodingKey] {
        (0..<min(depth, frames.count)).map { index in
            let frame = frames[index]
            guard !frame.isArray else { return JSONKey(max(frame.count - 1, 0)) }
            let end = index + 1 < frames.count ? frames[index + 1].firstName : names.count
            return JSONKey(end > frame.firstName ? names[end - 1] : "")
        }
    }
}

extension EncodingStream {
    private func isOpen(_ ticket: Int, at depth: Int) -> Bool {
        depth < frames.count && frames[depth].ticket == ticket
    }

    @inline(__always)
    private func require(_ condition: Bool) throws {
        if !condition || isStopped { try stop() }
    }

    private func stop() throws {
        if let failure { throw failure }
        cannotStream()
        throw NotStreamable()
    }

    private func cannotStream() {
        isStreamable = false
        isStopped = true
    }

    private func take(_ ticket: Int) throws {
        try require(pending == ticket)
        pending = 0
    }

    /// Calls `encode(to:)` of a value whose place is next.
    private func nested<Value: Encodable>(_ value: Value, at depth: Int) throws {
        guard calls < CodableLimit.encodingCalls else { throw tooDeep(value) }
        calls += 1
        defer { calls -= 1 }
        lastTicket += 1
        pending = lastTicket
        pendingEntryLength = hashOrderedEntryLength(of: Value.self)
        try value.encode(to: ValueEncoder(.stream(self, lastTicket, depth: depth)))
        try require(true)
        settle(depth)
    }

    /// Completes the values inside of `depth` containers.
    private func settle(_ depth: Int) {
        if pending != 0 {
            // Nothing was encoded.
            json.pointee.object { _ in }
            pending = 0
        }
        while frames.count > depth { closeLast() }
    }

    /// Begins an element or a member.
    @inline(__always)
    private func enter(_ name: String?, _ ticket: Int, _ depth: Int) throws -> JSONWriter.Mark {
        try require(isOpen(ticket, at: depth))
        settle(depth + 1)
        let mark = json.pointee.mark
        if frames[depth].entryLength > 0 { frames[depth].starts.append(json.pointee.nextStart) }
        frames[depth].count += 1
        if let name {
            try require(isNew(name, depth))
            names.append(name)
            json.pointee.name(name)
        }
        return mark
    }

    private func isNew(_ name: String, _ depth: Int) -> Bool {
        // Names of a dictionary are compared when they are sorted.
        guard frames[depth].entryLength == 0 else { return true }
        let first = frames[depth].firstName
        guard names.count - first >= 16 else {
            let name = CodePointString(name)
            for index in first..<names.count where CodePointString(names[index]) == name { return false }
            return true
        }
        if frames[depth].manyNames == nil { frames[depth].manyNames = Set(names[first...].map { CodePointString($0) }) }
        return frames[depth].manyNames?.insert(CodePointString(name)).inserted ?? true
    }

    /// Removes an element or a member that could not be encoded.
    private func leave(_ name: String?, _ ticket: Int, _ depth: Int, _ mark: JSONWriter.Mark) {
        guard isOpen(ticket, at: depth) else { return cannotStream() }
        close(downTo: depth + 1)
        pending = 0
        frames[depth].count -= 1
        if frames[depth].entryLength > 0 { frames[depth].starts.removeLast() }
        if let name {
            names.removeLast()
            frames[depth].manyNames?.remove(CodePointString(name))
        }
        json.pointee.rewind(to: mark)
    }

    /// Forgets containers whose JSON is removed.
    private func close(downTo depth: Int) {
        guard frames.count > depth else { return }
        names.removeLast(names.count - frames[depth].firstName)
        frames.removeLast(frames.count - depth)
    }

    private func push(_ ticket: Int, isArray: Bool) {
        guard frames.count < CodableLimit.containers else {
            failure = tooDeep(ticket)
            isStopped = true
            return
        }
        json.pointee.open(isArray: isArray)
        frames.append(
            Frame(ticket: ticket, isArray: isArray, entryLength: pendingEntryLength, firstName: names.count))
        pending = 0
    }

    private func closeLast() {
        guard let frame = frames.popLast() else { return }
        if frame.entryLength > 0 { sort(frame) }
        names.removeLast(names.count - frame.firstName)
        json.pointee.close(isArray: frame.isArray)
    }

    private func sort(_ frame: Frame) {
        let length = frame.isArray ? frame.entryLength : 1
        let starts = stride(from: 0, to: frame.starts.count, by: length).map { frame.starts[$0] }
        guard frame.isArray else {
            let names = names[frame.firstName...].map { CodePointString($0) }
            let order = starts.indices.sorted { names[$0] < names[$1] }
            for (one, next) in zip(order, order.dropFirst()) where names[one] == names[next] {
                cannotStream()
            }
            return json.pointee.reorder(from: starts) { _ in order }
        }
        json.pointee.reorder(from: starts) { entries in
            entries.indices.sorted { entries[$0].lexicographicallyPrecedes(entries[$1]) }
        }
    }

    private func tooDeep(_ value: Any) -> EncodingError {
        EncodingError.invalidValue(
            value, .init(codingPath: [], debugDescription: "The value is nested too deeply for JSON."))
    }
}
