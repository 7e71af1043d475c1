extension Row {
    /// A POST request with these field lines and bytes, followed by a request that a proxy would not notice.
    private static func smuggled(
        _ rule: String, _ lines: String, _ body: String, version: String = "1.1", _ expected: String...
    ) -> Row {
        Row(
            rule: rule,
            text: "POST / HTTP/\(version)\r\nHost: a\r\n\(lines)\r\n\r\n\(body)GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
            expected: expected)
    }

    /// Ambiguous requests are rejected, so that bytes behind them are never parsed as a request (RFC 9112, section
    /// 11.2).
    static let smuggling: [Row] = [
        smuggled(
            "9112 11.2: the proxy goes by the length", "Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n",
            bad),
        smuggled(
            "9112 11.2: the proxy goes by the coding", "Transfer-Encoding: chunked\r\nContent-Length: 3", "0\r\n\r\n",
            bad),
        smuggled(
            "9112 11.2: a second coding nobody knows", "Transfer-Encoding: chunked\r\nTransfer-Encoding: cow",
            "0\r\n\r\n", bad),
        smuggled(
            "9112 11.2: a coding behind a space", "Content-Length: 5\r\nTransfer-Encoding : chunked", "0\r\n\r\n", bad),
        smuggled(
            "9112 11.2: a folded coding", "Content-Length: 5\r\nTransfer-Encoding:\r\n chunked", "0\r\n\r\n", bad),
        smuggled(
            "9112 11.2: a coding behind a bare LF", "Content-Length: 5\r\nX:\nTransfer-Encoding: chunked", "0\r\n\r\n",
            bad),
        smuggled(
            "9112 11.2: a coding behind a bare CR", "Content-Length: 5\r\nX:\rTransfer-Encoding: chunked", "0\r\n\r\n",
            bad),
        smuggled(
            "9112 11.2: a coding behind NUL", "Content-Length: 5\r\nTransfer-Encoding: \u{0}chunked", "0\r\n\r\n", bad),
        smuggled("9112 11.2: lengths that differ", "Content-Length: 0\r\nContent-Length: 5", "12345", bad),
        smuggled("9112 11.2: a list of lengths", "Content-Length: 0, 5", "12345", bad),
        smuggled("9112 11.2: a length with a sign", "Content-Length: +5", "12345", bad),
        smuggled("9112 11.2: a length behind a tab", "Content-Length\t: 5", "12345", bad),
        smuggled(
            "9112 11.2: chunks of a 1.0 client", "Transfer-Encoding: chunked", "0\r\n\r\n", version: "1.0", bad),
        smuggled(
            "9112 11.2: a chunk that ends with other bytes", "Transfer-Encoding: chunked", "1\r\nabb0\r\n\r\n", bad),
        smuggled(
            "9112 11.2: bare LF in a chunk extension", "Transfer-Encoding: chunked", "2;\nxx\r\n0\r\n\r\n", bad),
        smuggled(
            "9112 11.2: a chunk size that wraps around", "Transfer-Encoding: chunked",
            "10000000000000000\r\n\r\n0\r\n\r\n", bad),
        smuggled(
            "9112 11.2: a length in the trailers", "Transfer-Encoding: chunked", "0\r\nContent-Length: 5\r\n\r\n", bad),
        smuggled(
            "9112 11.2: a name that is only like it", "Content_Length: 40\r\nTransfer_Encoding: chunked", "",
            "POST / keep", "GET /2 keep"),
        smuggled("9112 11.2: no doubt at all", "Content-Length: 5", "12345", "POST / keep 12345", "GET /2 keep"),
    ]

    /// Content belongs to its request for every method, and is never parsed as the next request (RFC 9112, 6.3).
    static let contents: [Row] = ["GET", "DELETE", "OPTIONS", "TRACE", "PURGE"].map { method in
        Row(
            "9112 6.3: content of \(method)",
            "\(method) / HTTP/1.1\r\nHost: a\r\nContent-Length: 18\r\n\r\nGET /1 HTTP/1.1\r\n\r"
                + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
            "\(method) / keep GET /1 HTTP/1.1\r\n\r", "GET /2 keep")
    }
}
