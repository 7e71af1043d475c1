import HTTP

/// The path below which all resources are, `http.basePath`: empty, or such as `/storehouse`.
struct BasePath: Sendable {
    /// Stands before every path that the server writes.
    let text: String
    private let segments: [[UInt8]]

    init(_ text: String = "") {
        self.text = text
        segments = text.split(separator: "/").map { Array($0.utf8) }
    }

    /// Whether a text can be a base path: segments of letters, digits and `-._~`, each behind a slash.
    static func isValid(_ text: String) -> Bool {
        guard !text.isEmpty else { return true }
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && segments[0].isEmpty && segments.count > 1
            && segments.dropFirst().allSatisfy { segment in
                !segment.isEmpty && segment != "." && segment != ".." && segment.utf8.allSatisfy(isUnreserved)
            }
    }

    /// Removes the base path from the front of a path.
    ///
    /// - Throws: `no-such-resource` for a path that is not below it, unless it is `*`.
    func remove(from path: inout RequestPath) throws(Problem) {
        guard !segments.isEmpty else { return }
        var rest = path
        for segment in segments {
            guard let next = rest.next(), next.decoded.elementsEqual(segment) else {
                if path.raw == "*" { return }
                throw Problem(.path(.outside(text)))
            }
        }
        path = rest
    }

    /// The response to a request for the base path without a slash behind it; nil for any other request. The relative links
    /// of the inspector page need that slash.
    func redirect(_ head: RequestHead) -> Response? {
        guard !segments.isEmpty, head.method == .get || head.method == .head, head.path.raw == text else { return nil }
        return Response(.permanentRedirect, fields: [.init("Location", text + "/")])
    }

    /// RFC 3986, section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: "-._~".utf8.contains(byte)
        }
    }
}
