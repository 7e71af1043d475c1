import JSON
import Observability

/// The readable form of a problem document (RFC 9457).
package enum ProblemText {
    /// - Parameters:
    ///   - body: the body of the answer; another document than a problem gives a text with the status only.
    package static func text(status: Int, body: [UInt8]) -> String {
        guard let problem = try? JSONValue(parsing: body), let code = problem["code"]?.asString else {
            return "the server answered with the status \(status)"
        }
        let title = problem["title"]?.asString ?? "the request was refused"
        let detail = problem["detail"]?.asString ?? ""
        let index = problem["index"]?.asInteger.map { ", action \($0 + 1) of the batch" } ?? ""
        var lines = ["\(title) (\(status) \(code)\(index))" + (detail.isEmpty ? "" : ": \(detail)")]
        // The detail may have the only error, and the similar names.
        for error in problem["errors"]?.asArray ?? [] {
            let reason = error["detail"]?.asString ?? ""
            if !detail.contains(reason) { lines.append("  \(error["pointer"]?.asString ?? ""): \(reason)") }
        }
        let nearest = (problem["nearest"]?.asArray ?? []).compactMap(\.asString)
        if !nearest.isEmpty, !detail.contains(nearest[0]) {
            lines.append("Did you mean \(nearest.joined(separator: " or "))?")
        }
        return lines.map(\.escapedForOneLine).joined(separator: "\n")
    }
}
