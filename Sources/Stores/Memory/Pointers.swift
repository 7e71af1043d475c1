/// Calls `body` with a pointer to `value`. It is not inlined: in its callers it would copy the value.
@usableFromInline
@inline(never)
package func withPointer<Value>(to value: Value, _ body: (UnsafePointer<Value>) -> Void) {
    withUnsafePointer(to: value, body)
}

/// Calls `body` with a pointer to `value`, or with nil if there is none.
@inlinable
package func withOptionalPointer<Value, Result>(
    to value: Value?, _ body: (UnsafePointer<Value>?) -> Result
) -> Result {
    guard let value else { return body(nil) }
    return withUnsafePointer(to: value) { body($0) }
}
