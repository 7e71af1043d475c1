/// A property that does not hold for an input.
package struct Finding: Error {
    package let message: String
}

/// Throws a finding unless a property holds.
func require(_ holds: Bool, _ message: @autoclosure () -> String) throws(Finding) {
    guard holds else { throw Finding(message: message()) }
}
