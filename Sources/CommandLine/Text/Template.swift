/// The texts of the files in `Templates`. Each file can be read by the tools of its own language, so what is replaced in it is valid
/// there too: the name of an example, or a comment.
enum Template {
    /// Texts of a template, and the texts that stand in their place.
    typealias Replacements = [(example: String, value: String)]

    /// The text of a file without its last line break.
    ///
    /// - Parameter replacements: what is replaced, and by what. A text that was put in stays as it is.
    static func text(_ file: [UInt8], _ replacements: Replacements = []) -> String {
        fill(String(decoding: file.dropLast(), as: UTF8.self), replacements[...])
    }

    private static func fill(_ text: String, _ replacements: Replacements.SubSequence) -> String {
        guard let (example, value) = replacements.first else { return text }
        return text.split(separator: example, omittingEmptySubsequences: false)
            .map { fill(String($0), replacements.dropFirst()) }.joined(separator: value)
    }
}
