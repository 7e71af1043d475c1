import Synchronization

/// Gives a part of the state a stamp that changes whenever the part does.
///
///     struct PlannerState {
///         @Stamped var tasks = TasksState()
///     }
///     state.$tasks  // the stamp of the tasks
///
/// Reading and changing happen in place, nothing is copied. Opening the value for change takes a fresh stamp, also where
/// the change turns out to be none: some ten nanoseconds.
@propertyWrapper
public struct Tracked<Value>: ChangeTracked {
    @usableFromInline var value: Value
    @usableFromInline var latest = ChangeToken()

    /// A part of the state with a fresh stamp.
    @inlinable
    public init(wrappedValue: Value) { value = wrappedValue }

    /// The stamp of the latest change; a fresh one at first.
    @inlinable
    public var stamp: ChangeToken { latest }

    /// The stamp, as `$name`.
    @inlinable
    public var projectedValue: ChangeToken { stamp }

    /// The value itself.
    @inlinable
    public var wrappedValue: Value {
        _read { yield value }
        _modify {
            latest = ChangeToken()
            yield &value
        }
    }
}

extension Tracked: Sendable where Value: Sendable {}

extension Tracked: Equatable where Value: Equatable {
    /// Whether the values are equal. Equal stamps answer at once.
    @inlinable
    public static func == (one: Tracked, other: Tracked) -> Bool {
        one.stamp == other.stamp || one.value == other.value
    }
}

/// Marks one moment in the life of a value: whoever changes the value gives it a fresh stamp.
///
/// Two values of one place in the state that carry equal stamps are equal, without a look at them. The reverse does not
/// hold: values with different stamps may be equal too.
///
/// A fresh stamp is one that this process has never given before. So an undo may bring an old value back with its old
/// stamp, and what changes it afterwards still gets a stamp of its own. Stamps have no order and mean nothing to another
/// process. To take one costs one atomic addition.
public struct ChangeToken: Sendable, Hashable {
    private let number: UInt64

    /// A fresh stamp.
    public init() {
        number = given.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private init(number: UInt64) { self.number = number }

    /// What a value carries that is as it began; no fresh stamp equals it.
    @usableFromInline static let untouched = ChangeToken(number: 0)
}

/// How many stamps were given. One counter for all threads: measured on eight, splitting it made a stamp dearer.
private let given = Atomic<UInt64>(0)

/// A value that knows when it was changed last.
///
/// Who looks at it again and finds the stamp of before need not compare: nothing has changed.
public protocol ChangeTracked {
    /// Fresh after every change; equal stamps mean equal values.
    var stamp: ChangeToken { get }
}
