extension String {
    /// Whether nothing in it controls the text around it, as a line break or a change of the direction of writing does.
    ///
    /// Texts that clients see beside others, such as names, must be so: otherwise one could look like another, or like a line of a log.
    package var isPlain: Bool { unicodeScalars.allSatisfy { !$0.controlsText } }
}

extension Unicode.Scalar {
    fileprivate var controlsText: Bool {
        properties.isBidiControl
            || [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}
