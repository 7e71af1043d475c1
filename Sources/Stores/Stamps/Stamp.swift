import Synchronization

/// Marks one moment in the life of a value: whoever changes the value gives it a fresh stamp.
///
/// Two values of one place in the state that carry equal stamps are equal, without a look at them. The reverse does not
/// hold: values with different stamps may be equal too.
///
/// A fresh stamp is one that this process has never given before. So an undo may bring an old value back with its old
/// stamp, and what changes it afterwards still gets a stamp of its own. Stamps have no order and mean nothing to another
/// process. To take one costs one atomic addition.
public struct Stamp: Sendable, Hashable {
    private let number: UInt64

    /// A fresh stamp.
    public init() {
        number = given.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private init(number: UInt64) { self.number = number }

    /// What a value carries that is as it began; no fresh stamp equals it.
    @usableFromInline static let untouched = Stamp(number: 0)
}

/// How many stamps were given. One counter for all threads: measured on eight, splitting it made a stamp dearer.
private let given = Atomic<UInt64>(0)
