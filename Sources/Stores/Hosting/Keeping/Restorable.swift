public import JSON

/// A value that can be read back from the JSON that it wrote, so that it outlasts the process.
///
/// It reads what it wrote, member by member, and leaves out what it derives. What it keeps without showing it to anybody it
/// names in `visitHidden(_:)`:
///
///     struct Tasks: StateObject, Restorable {
///         var titles: [String] = []
///         var nextID = 1
///
///         func visit(_ members: inout some StateMembers & ~Copyable) { members.member("titles", titles) }
///         func visitHidden(_ members: inout HiddenMembers) { members.member("nextID", nextID) }
///
///         init(restoring kept: KeptValue) throws(RestorationFailure) {
///             titles = try kept.member("titles")
///             nextID = try kept.hidden("nextID", in: 1...1_000_000)
///         }
///     }
///
/// What was kept may be older than the program, or not come from it at all: it is refused where the program could not work
/// with it, a number that would overflow say.
public protocol Restorable {
    /// The value that was kept.
    init(restoring kept: KeptValue) throws(RestorationFailure)

    /// Visits the members that only the store knows: always the same ones, in the same order. None unless it is written
    /// otherwise.
    func visitHidden(_ members: inout HiddenMembers)
}

extension Restorable {
    @inlinable
    public func visitHidden(_ members: inout HiddenMembers) {}
}

extension Restorable where Self: RawRepresentable, RawValue: Restorable {
    /// An enum of strings or integers is read by its raw value.
    public init(restoring kept: KeptValue) throws(RestorationFailure) {
        guard let value = Self(rawValue: try RawValue(restoring: kept)) else {
            throw kept.unreadable("is none of the values that there are")
        }
        self = value
    }
}

extension String: Restorable {
    public init(restoring kept: KeptValue) throws(RestorationFailure) {
        guard let text = kept.json.asString else { throw kept.unreadable("must be a string") }
        self = text
    }
}

extension Int: Restorable {
    public init(restoring kept: KeptValue) throws(RestorationFailure) {
        guard let number = kept.json.asInteger else { throw kept.unreadable("must be an integer of 64 bits") }
        self = number
    }
}

extension Bool: Restorable {
    public init(restoring kept: KeptValue) throws(RestorationFailure) {
        guard let flag = kept.json.asBool else { throw kept.unreadable("must be true or false") }
        self = flag
    }
}

extension Double: Restorable {
    public init(restoring kept: KeptValue) throws(RestorationFailure) {
        switch kept.json {
        case .integer(let number): self = Double(number)
        case .number(let number):
            guard let value = number.double else { throw kept.unreadable("is beyond what a number may be") }
            self = value
        default: throw kept.unreadable("must be a number")
        }
    }
}

extension JSONValue: Restorable {
    public init(restoring kept: KeptValue) { self = kept.json }
}

extension Optional: Restorable where Wrapped: Restorable {
    /// `null` becomes nothing.
    public init(restoring kept: KeptValue) throws(RestorationFailure) {
        self = kept.json.isNull ? nil : try Wrapped(restoring: kept)
    }
}

extension Array: Restorable where Element: Restorable {
    public init(restoring kept: KeptValue) throws(RestorationFailure) {
        guard let elements = kept.json.asArray else { throw kept.unreadable("must be an array") }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            append(try kept.read(element, at: String(index)))
        }
    }
}
