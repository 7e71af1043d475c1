/// A parser of untrusted bytes, with the properties that must hold for any input.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Heads and bodies of pipelined requests.
    case requests
    /// The chunked coding of one body.
    case chunks
    /// JSON texts.
    case json
    /// JSON Pointers and their documents.
    case pointers
    /// JSON Patches: differences between two documents, and untrusted patches.
    case patches
    /// The fields that name clients, hosts and origins.
    case addresses
    /// Tokens, the claims of signed tokens, and the keys that verify them.
    case tokens

    /// The property that does not hold for an input; nil if all do.
    package func finding(in input: [UInt8]) -> String? {
        do throws(Finding) {
            switch self {
            case .requests: try RequestProperties.check(input)
            case .chunks: try ChunkProperties.check(input)
            case .json: try JSONProperties.check(input)
            case .pointers: try PointerProperties.check(input)
            case .patches: try PatchProperties.check(input)
            case .addresses: try AddressProperties.check(input)
            case .tokens: try TokenProperties.check(input)
            }
            return nil
        } catch {
            return error.message
        }
    }
}
