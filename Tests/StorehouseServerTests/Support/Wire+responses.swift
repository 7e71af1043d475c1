extension Wire {
    /// Reads one answer and holds it to the framing rules of RFC 9112: they must leave no doubt where it ends.
    ///
    /// - Parameter method: of the request that it answers; an answer to HEAD has no body.
    mutating func response(to method: String) throws -> TestResponse {
        var response = try head()
        response.method = method
        let isBodiless = method == "HEAD" || response.status < 200 || [204, 304].contains(response.status)
        let lengths = response.values("content-length")
        let codings = response.values("transfer-encoding")
        guard lengths.count + codings.count <= 1 else { throw Failure.malformed("framed more than once") }
        if isBodiless { return try bodiless(response, lengths, codings) }
        if let text = lengths.first {
            guard let length = Int(text), String(length) == text else { throw Failure.malformed("length \(text)") }
            response.body = try bytes(length)
        } else if codings == ["chunked"] {
            while let chunk = try chunk() { response.body += chunk }
        } else {
            guard codings.isEmpty, response.values("connection") == ["close"] else {
                throw Failure.malformed("no framing")
            }
            response.body = try rest()
        }
        return response
    }

    private func bodiless(
        _ response: TestResponse, _ lengths: [String], _ codings: [String]
    ) throws -> TestResponse {
        // RFC 9110, section 8.6, and RFC 9112, section 6.1.
        let mustHaveNone = response.status < 200 || response.status == 204
        guard !mustHaveNone || (lengths.isEmpty && codings.isEmpty) else {
            throw Failure.malformed("framing on \(response.status)")
        }
        return response
    }

    /// Reads status line and fields.
    mutating func head() throws -> TestResponse {
        let line = try line()
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "HTTP/1.1", parts[1].count == 3, let status = Int(parts[1]) else {
            throw Failure.malformed("status line \(line)")
        }
        var response = TestResponse(status: status)
        while true {
            let line = try self.line()
            if line.isEmpty { break }
            response.fields.append(try Self.field(line))
        }
        // An interim response belongs to no request that has ended.
        guard status < 200 || response["x-request-id"]?.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil else {
            throw Failure.malformed("no request id")
        }
        return response
    }

    private static func field(_ line: String) throws -> (name: String, value: String) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(where: \.isWhitespace),
            parts[1].first == " "
        else { throw Failure.malformed("field \(line)") }
        return (parts[0].lowercased(), String(parts[1].dropFirst()))
    }

    /// Reads one chunk; nil for the last one, with the end of the body behind it.
    mutating func chunk() throws -> [UInt8]? {
        let line = try line()
        guard let size = Int(line, radix: 16), !line.hasPrefix("+") else { throw Failure.malformed("chunk \(line)") }
        let bytes = try self.bytes(size)
        guard try self.line().isEmpty else { throw Failure.malformed("no line end after a chunk") }
        return size == 0 ? nil : bytes
    }
}
