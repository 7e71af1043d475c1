/// The members of a JSON object in the order they were written, each name once.
///
/// Lookup takes constant time, and setting or removing a member amortized constant time, however many members there
/// are. Names are compared by code point.
public struct JSONObject: Sendable {
    /// Objects with more members than this are indexed by hash. Comparing names one by one is faster in smaller ones.
    static let indexThreshold = 16

    /// A removed member of an indexed object leaves a slot without value, so that the other slots keep their numbers.
    private struct Slot {
        let name: String
        var value: JSONValue?

        var isEmpty: Bool {
            if case .none = value { true } else { false }
        }
    }

    private var slots: [Slot]
    /// The slot of each name, once there are many members. Only indexed objects have empty slots.
    private var index: [CodePointString: Int]?

    /// An object without members.
    public init() {
        slots = []
    }

    /// If a name occurs twice, the object keeps the place of the first member and the value of the last.
    public init(_ members: [(String, JSONValue)]) {
        self.init(reservingCapacity: members.count)
        for (name, value) in members {
            self[name] = value
        }
    }

    init(reservingCapacity capacity: Int) {
        slots = []
        slots.reserveCapacity(capacity)
    }

    /// How many members there are.
    public var count: Int {
        index?.count ?? slots.count
    }

    /// Whether there are no members.
    public var isEmpty: Bool {
        count == 0
    }

    /// The names in order.
    package var names: [String] {
        map(\.name)
    }

    /// The member's value; nil if there is no such member. Setting appends a new name at the end; setting nil removes
    /// the member.
    public subscript(name: String) -> JSONValue? {
        get {
            slot(of: name).flatMap { slots[$0].value }
        }
        set {
            switch (slot(of: name), newValue) {
            case (let slot?, let value?): slots[slot].value = value
            case (nil, let value?): appendNew(name, value)
            case (.some, nil): removeValue(forName: name)
            case (nil, nil): break
            }
        }
        _modify {
            // The value is taken out, so that it is changed in place and not copied.
            let slot = slot(of: name)
            var value = slot.flatMap { slots[$0].value.take() }
            defer {
                switch (slot, value) {
                case (let slot?, let value?): slots[slot].value = value
                case (nil, let value?): appendNew(name, value)
                case (.some, nil): removeValue(forName: name)
                case (nil, nil): break
                }
            }
            yield &value
        }
    }

    /// The sum of a number for each member. It copies no member, as iterating over them does.
    func sum(_ number: (String, JSONValue) -> Int) -> Int {
        slots.reduce(0) { sum, slot in slot.value.map { sum + number(slot.name, $0) } ?? sum }
    }

    /// The number of the member's slot. It is valid until a member is removed.
    func slot(of name: String) -> Int? {
        if let index {
            return index[CodePointString(name)]
        }
        let wanted = CodePointString(name)
        return slots.firstIndex { CodePointString($0.name) == wanted }
    }

    /// Appends a member whose name the object does not have yet.
    mutating func appendNew(_ name: consuming String, _ value: consuming JSONValue) {
        let slot = Slot(name: name, value: value)
        // Growing an empty array takes three times as long as making one.
        if slots.capacity == 0 { slots = [slot] } else { slots.append(slot) }
        if index != nil, let last = slots.last {
            index?[CodePointString(last.name)] = slots.count - 1
        } else if slots.count > Self.indexThreshold {
            buildIndex()
        }
    }

    /// Changes the value of an existing member in place.
    mutating func changeValue<Result, Failure: Error>(
        inSlot slot: Int, _ change: (inout JSONValue) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try change(&slots[slot].value!)
    }

    /// Removes a member and returns its value; nil if there is no such member.
    @discardableResult
    mutating func removeValue(forName name: String) -> JSONValue? {
        guard index != nil else {
            return slot(of: name).flatMap { slots.remove(at: $0).value }
        }
        guard let slot = index?.removeValue(forKey: CodePointString(name)) else { return nil }
        let value = slots[slot].value
        slots[slot] = Slot(name: "", value: .none)
        // Compacting takes time linear in the slots. More than half of them were removed since the last time.
        if count < slots.count / 2 || count <= Self.indexThreshold {
            compact()
        }
        return value
    }

    private mutating func compact() {
        slots = slots.filter { !$0.isEmpty }
        index = nil
        if slots.count > Self.indexThreshold {
            buildIndex()
        }
    }

    private mutating func buildIndex() {
        var index: [CodePointString: Int] = [:]
        index.reserveCapacity(slots.count * 2)
        for (number, slot) in slots.enumerated() {
            index[CodePointString(slot.name)] = number
        }
        self.index = index
    }
}

extension JSONObject: Sequence {
    public typealias Element = (name: String, value: JSONValue)

    /// Goes through the members in order.
    public struct Iterator: IteratorProtocol {
        private let slots: [Slot]
        private var position = 0

        fileprivate init(_ object: JSONObject) {
            slots = object.slots
        }

        public mutating func next() -> Element? {
            while position < slots.count {
                let slot = slots[position]
                position += 1
                if let value = slot.value {
                    return (slot.name, value)
                }
            }
            return nil
        }
    }

    public func makeIterator() -> Iterator {
        Iterator(self)
    }

    public var underestimatedCount: Int { count }
}

extension JSONObject {
    /// The slot of a name, looked for in one slot first: objects that differ little have their members in the same order.
    func slot(of name: String, firstTrying slot: Int) -> Int? {
        hasName(name, inSlot: slot) ? slot : self.slot(of: name)
    }

    /// The value in a slot that ``slot(of:firstTrying:)`` returned.
    func value(inSlot slot: Int) -> JSONValue? { slots[slot].value }

    private func hasName(_ name: String, inSlot slot: Int) -> Bool {
        guard slot < slots.count, !slots[slot].isEmpty else { return false }
        return CodePointString(slots[slot].name) == CodePointString(name)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.name] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // Equality ignores the order of members, so their hashes are combined by addition.
        var sum = 0
        for (name, value) in self {
            var member = Hasher()
            member.combine(CodePointString(name))
            member.combine(value)
            sum &+= member.finalize()
        }
        hasher.combine(sum)
    }
}
