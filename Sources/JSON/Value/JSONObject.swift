/// The members of a JSON object in the order they were written, each name once.
///
/// Looking up a name takes constant time, however many members there are. Names are compared by code point.
public struct JSONObject: Sendable {
    /// From this many members on, names are found by hash and no longer one by one.
    static let indexThreshold = 16

    private var members: [(name: String, value: JSONValue)]
    /// Where each name stands in `members`, once there are many.
    private var positions: [CodePointString: Int]?

    /// An object without members.
    public init() {
        members = []
    }

    /// Of two members with one name the later value stands, at the place of the first.
    public init(_ members: [(String, JSONValue)]) {
        self.init(reservingCapacity: members.count)
        for (name, value) in members {
            self[name] = value
        }
    }

    init(reservingCapacity capacity: Int) {
        members = []
        members.reserveCapacity(capacity)
    }

    /// The names in order.
    public var names: [String] {
        members.map(\.name)
    }

    /// The member's value, nil where there is none. Setting appends a new name at the end; setting nil removes the
    /// member, which takes time linear in the count.
    public subscript(name: String) -> JSONValue? {
        get {
            position(of: name).map { members[$0].value }
        }
        set {
            switch (position(of: name), newValue) {
            case (let position?, let value?): members[position].value = value
            case (nil, let value?): appendNew(name, value)
            case (let position?, nil): remove(at: position)
            case (nil, nil): break
            }
        }
    }

    func position(of name: String) -> Int? {
        if let positions {
            return positions[CodePointString(name)]
        }
        let wanted = CodePointString(name)
        return members.firstIndex { CodePointString($0.name) == wanted }
    }

    /// The name must not be there yet.
    mutating func appendNew(_ name: consuming String, _ value: consuming JSONValue) {
        members.append((name, value))
        if positions != nil, let last = members.last {
            positions?[CodePointString(last.name)] = members.count - 1
        } else if members.count > Self.indexThreshold {
            buildIndex()
        }
    }

    /// Changes the value of a member in place.
    mutating func changeValue<Result, Failure: Error>(
        at position: Int, _ change: (inout JSONValue) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try change(&members[position].value)
    }

    private mutating func remove(at position: Int) {
        members.remove(at: position)
        positions = nil
        if members.count > Self.indexThreshold {
            buildIndex()
        }
    }

    private mutating func buildIndex() {
        var index: [CodePointString: Int] = [:]
        index.reserveCapacity(members.count * 2)
        for (position, member) in members.enumerated() {
            index[CodePointString(member.name)] = position
        }
        positions = index
    }
}

extension JSONObject: RandomAccessCollection {
    public typealias Element = (name: String, value: JSONValue)

    public var startIndex: Int { 0 }
    public var endIndex: Int { members.count }

    public subscript(position: Int) -> Element {
        members[position]
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
        // The order of members does not count, so their hashes are added up.
        var sum = 0
        for (name, value) in members {
            var member = Hasher()
            member.combine(CodePointString(name))
            member.combine(value)
            sum &+= member.finalize()
        }
        hasher.combine(sum)
    }
}
