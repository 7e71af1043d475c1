import FuzzProperties
import HTTP

extension RequestReader {
    /// The outcomes of bytes that arrive in pieces of this size, as lines of text for tables.
    static func report(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits(), pieces: Int = .max) -> [String] {
        let cuts = sequence(state: bytes[...]) { rest -> ArraySlice<UInt8>? in
            defer { rest = rest.dropFirst(pieces) }
            return rest.isEmpty ? nil : rest.prefix(pieces)
        }
        do throws(Finding) {
            return try outcomes(of: cuts, limits: limits).map(\.summary)
        } catch {
            return [error.message]
        }
    }
}

extension RequestReader.Outcome {
    fileprivate var summary: String {
        switch self {
        case .request(let method, let target, let body, let keepAlive, let expectsContinue):
            var words = ["\(method)", target, keepAlive ? "keep" : "close"]
            if expectsContinue { words.append("continue") }
            if !body.isEmpty { words.append(String(decoding: body, as: UTF8.self)) }
            return words.joined(separator: " ")
        case .refusal(let failure): return "\(failure.status.rawValue) \(failure.code)"
        case .incomplete: return "incomplete"
        }
    }
}
