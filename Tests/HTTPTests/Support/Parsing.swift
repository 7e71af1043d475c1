import HTTP
import Testing

/// The head of this request, which must be valid.
func head(_ text: String) throws -> RequestHead {
    var parser = RequestParser(limits: HTTPLimits())
    let step = Array(text.utf8).withUnsafeBytes { parser.parse($0) }
    guard case .head(let head, let consumed) = step else {
        throw InvalidRequest(text: text)
    }
    #expect(consumed == text.utf8.count)
    return head
}

struct InvalidRequest: Error { let text: String }

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }
}
