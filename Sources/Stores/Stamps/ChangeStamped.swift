/// A value that knows when it was changed last.
///
/// Who looks at it again and finds the stamp of before need not compare: nothing has changed.
public protocol ChangeStamped {
    /// Fresh after every change; equal stamps mean equal values.
    var stamp: Stamp { get }
}
