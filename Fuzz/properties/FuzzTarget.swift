/// What is fuzzed: code that reads bytes from outside, and what must hold of it whatever the bytes are.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Heads and bodies of pipelined requests.
    case requests
    /// The chunked coding of one body.
    case chunks
    /// JSON texts.
    case json
    /// JSON Pointers, and the documents that they point into.
    case pointers
    /// JSON Patches: found between two documents, and read from outside.
    case patches

    /// What does not hold for an input; nil where all is well.
    package func finding(in input: [UInt8]) -> String? {
        do throws(Finding) {
            switch self {
            case .requests: try RequestProperties.check(input)
            case .chunks: try ChunkProperties.check(input)
            case .json: try JSONProperties.check(input)
            case .pointers: try PointerProperties.check(input)
            case .patches: try PatchProperties.check(input)
            }
            return nil
        } catch {
            return error.sentence
        }
    }
}
