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
public struct Stamped<Value>: ChangeStamped {
    @usableFromInline var value: Value
    @usableFromInline var latest = Stamp()

    /// A part of the state with a fresh stamp.
    @inlinable
    public init(wrappedValue: Value) { value = wrappedValue }

    /// The stamp of the latest change; a fresh one at first.
    @inlinable
    public var stamp: Stamp { latest }

    /// The stamp, as `$name`.
    @inlinable
    public var projectedValue: Stamp { stamp }

    /// The value itself.
    @inlinable
    public var wrappedValue: Value {
        _read { yield value }
        _modify {
            latest = Stamp()
            yield &value
        }
    }
}

extension Stamped: Sendable where Value: Sendable {}

extension Stamped: Equatable where Value: Equatable {
    /// Whether the values are equal. Equal stamps answer at once.
    @inlinable
    public static func == (one: Stamped, other: Stamped) -> Bool {
        one.stamp == other.stamp || one.value == other.value
    }
}
