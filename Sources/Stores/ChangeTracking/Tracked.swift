import CPortable

/// Gives a part of the state a token that changes whenever the part does.
///
///     struct PlannerState {
///         @Tracked var tasks = TasksState()
///     }
///     state.$tasks  // the token of the tasks
///
/// Values are read and changed in place; nothing is copied. Each mutable access takes a new token, even if it changes nothing.
/// This costs about ten nanoseconds.
@propertyWrapper
public struct Tracked<Value>: ChangeTracked {
    @usableFromInline var value: Value
    @usableFromInline var latest = ChangeToken()

    /// A value with a new token.
    @inlinable
    public init(wrappedValue: Value) { value = wrappedValue }

    /// The token of the latest change.
    @inlinable
    public var stamp: ChangeToken { latest }

    /// The token, as `$name`.
    @inlinable
    public var projectedValue: ChangeToken { stamp }

    /// The value.
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
    /// Whether the values are equal. Equal tokens answer without a comparison.
    @inlinable
    public static func == (one: Tracked, other: Tracked) -> Bool {
        one.stamp == other.stamp || one.value == other.value
    }
}

/// Identifies one version of a value: each change of the value takes a new token.
///
/// Two values of the same place in the state are equal if their tokens are. The reverse does not hold: values with different
/// tokens may be equal too.
///
/// A new token is unique in the process. So an undo may restore an old value with its old token, and the next change still takes
/// a unique one. Tokens have no order and no meaning in another process. A new token costs one atomic addition.
public struct ChangeToken: Sendable, Hashable {
    private let number: UInt64

    /// A new token. One counter serves all threads: measured with eight threads, one counter for each was slower.
    @usableFromInline
    package init() { number = next_unique_number() }

    private init(number: UInt64) { self.number = number }

    /// The token of a value that was never changed. No new token equals it.
    @usableFromInline static let untouched = ChangeToken(number: 0)
}

/// A value with a token that changes whenever the value does.
///
/// A reader that finds the same token again need not compare the values.
public protocol ChangeTracked {
    /// New after every change. Equal tokens mean equal values.
    var stamp: ChangeToken { get }
}
