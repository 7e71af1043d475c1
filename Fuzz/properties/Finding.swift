/// Something that does not hold.
package struct Finding: Error {
    package let sentence: String
}

/// Asks for what must hold.
///
/// - Parameter sentence: what is wrong where it does not.
func require(_ holds: Bool, _ sentence: @autoclosure () -> String) throws(Finding) {
    guard holds else { throw Finding(sentence: sentence()) }
}
