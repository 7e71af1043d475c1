extension Row {
    private static func post(_ rule: String, _ lines: String, _ body: String, _ expected: String) -> Row {
        Row(rule, "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n\(body)", expected)
    }

    static let bodies: [Row] = [
        post("9112 6.3: a length", "Content-Length: 3", "abc", "POST / keep abc"),
        post("9112 6.3: a length of 0", "Content-Length: 0", "", "POST / keep"),
        post("9112 6.3: neither length nor coding", "X: y", "", "POST / keep"),
        post("9110 8.6: leading zeros", "Content-Length: 003", "abc", "POST / keep abc"),
        post("9112 6.3: less than announced", "Content-Length: 4", "abc", "incomplete"),
        post("9112 6.3: two equal lengths", "Content-Length: 3\r\nContent-Length: 3", "abc", bad),
        post("9112 6.3: two lengths", "Content-Length: 3\r\nContent-Length: 4", "abc", bad),
        post("9110 8.6: a list of equal lengths", "Content-Length: 3, 3", "abc", bad),
        post("9110 8.6: a plus sign", "Content-Length: +3", "abc", bad),
        post("9110 8.6: a minus sign", "Content-Length: -3", "abc", bad),
        post("9110 8.6: hexadecimal", "Content-Length: 0x3", "abc", bad),
        post("9110 8.6: a space inside", "Content-Length: 1 1", "abc", bad),
        post("9110 8.6: empty", "Content-Length:", "abc", bad),
        post("9110 8.6: a fraction", "Content-Length: 3.0", "abc", bad),
        post("9110 8.6: an exponent", "Content-Length: 3e0", "abc", bad),
        post("9110 8.6: quotes", "Content-Length: \"3\"", "abc", bad),
        post("9110 8.6: digits of another script", "Content-Length: ３", "abc", bad),
        post("9110 8.6: a vertical tab", "Content-Length: \u{B}3", "abc", bad),
        post("9112 5: white space around the length", "Content-Length: \t3 ", "abc", "POST / keep abc"),
        post("9110 8.6: over the limit", "Content-Length: 65537", "", "413 body-too-large"),
        post("9110 8.6: over 2^64", "Content-Length: 18446744073709551619", "abc", "413 body-too-large"),
        post("9112 6.1: length and coding", "Content-Length: 3\r\nTransfer-Encoding: chunked", "0\r\n\r\n", bad),
        post("9112 6.1: coding and length", "Transfer-Encoding: chunked\r\nContent-Length: 0", "0\r\n\r\n", bad),
        post("9112 7: codings are case-insensitive", "Transfer-Encoding: Chunked", "0\r\n\r\n", "POST / keep"),
        post(
            "9112 6.1: an unknown coding, then chunked", "Transfer-Encoding: gzip, chunked", "", "501 not-implemented"),
        post(
            "9112 6.1: the same in two lines", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "",
            "501 not-implemented"),
        post("9112 6.3: chunked is not the last", "Transfer-Encoding: chunked, gzip", "", bad),
        post("9112 6.3: no chunked at all", "Transfer-Encoding: gzip", "", bad),
        post("9112 6.3: identity", "Transfer-Encoding: identity", "", bad),
        post("9112 6.1: chunked twice", "Transfer-Encoding: chunked, chunked", "", bad),
        post(
            "9112 6.1: chunked twice, in two lines", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "", bad
        ),
        post("9112 6.1: a name that only ends so", "Transfer-Encoding: xchunked", "", bad),
        post("9112 7: chunked with a parameter", "Transfer-Encoding: chunked;a=b", "", bad),
        post("9112 6.1: a vertical tab", "Transfer-Encoding: \u{B}chunked", "", bad),
        post("9112 6.1: empty", "Transfer-Encoding:", "", bad),
        post("9112 6.1: quoted", "Transfer-Encoding: \"chunked\"", "0\r\n\r\n", bad),
        post("9110 5.6.1: empty elements of the list", "Transfer-Encoding: , chunked,", "0\r\n\r\n", "POST / keep"),
        Row("9112 6.1: a coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", bad),
    ]

    static let chunked: [Row] =
        [
            chunks("9112 7.1: chunks", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "POST / keep abcde"),
            chunks("9112 7.1: nothing", "0\r\n\r\n", "POST / keep"),
            chunks(
                "9112 7.1: hexadecimal in both cases", "a\r\n0123456789\r\nA\r\nabcdefghij\r\n0\r\n\r\n",
                "POST / keep 0123456789abcdefghij"),
            chunks("9112 7.1: leading zeros", "0003\r\nabc\r\n000\r\n\r\n", "POST / keep abc"),
            chunks(
                "9112 7.1: the next request", "1\r\na\r\n0\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n", "POST / keep a",
                "GET /2 keep"),
            chunks("9112 7.1: no end", "3\r\nabc\r\n", "incomplete"),
            chunks("9112 7.1: no size", "\r\nabc", bad),
            chunks("9112 7.1: no hexadecimal", "g\r\n", bad),
            chunks("9112 7.1: a sign", "+3\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: a minus sign", "-3\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: a space before the size", " 3\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: an underscore in the size", "1_0\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: an empty line after the data", "3\r\nabc\r\n\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: a prefix", "0x3\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: a size that overflows", "ffffffffffffffff\r\n", bad),
            chunks("9112 7.1: a size that would wrap around", "10000000000000003\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: too many zeros", "00000000000000003\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: a size over the limit", "10001\r\n", "413 body-too-large"),
            chunks("9112 7.1: the largest size", "7fffffffffffffff\r\n", "413 body-too-large"),
            chunks("9112 7.1: sizes that are over the limit together", "1\r\na\r\n10000\r\n", "413 body-too-large"),
            chunks("9112 7.1: bare LF after the size", "3\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: bare CR after the size", "3\rabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: bare LF after the data", "3\r\nabc\n0\r\n\r\n", bad),
            chunks("9112 7.1: more data than the size", "3\r\nabcd\r\n0\r\n\r\n", bad),
            chunks("9112 7.1: a space after the size", "3 \r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: extensions", "3;a;b=c;d=\"e;\\\"f\"\r\nabc\r\n0;x\r\n\r\n", "POST / keep abc"),
            chunks("9112 7.1.1: bad white space", "3 ; a = b\r\nabc\r\n0\r\n\r\n", "POST / keep abc"),
            chunks(
                "9112 7.1.1: white space and several", "3 ; a ;b = c\t; d=e ;f\r\nabc\r\n0\r\n\r\n", "POST / keep abc"),
            chunks(
                "9112 7.1.1: white space after a quoted value", "3;a=\"b\" ;c\r\nabc\r\n0\r\n\r\n", "POST / keep abc"),
            chunks("9112 7.1.1: white space at the end", "3;a \r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: two names", "3;a b\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: a control character in quotes", "3;a=\"\u{1}\"\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: an escaped control character", "3;a=\"\\\u{1}\"\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: a colon for a value", "3;a=:\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: an extension without a name", "3;\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: an extension without a value", "3;a=\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: an open quote", "3;a=\"b\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: LF in an extension", "3;a\n\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: no extension", "3a;,\r\nabc\r\n0\r\n\r\n", bad),
            chunks("9112 7.1.1: extensions without end", "3;" + String(repeating: "a", count: 1100), bad),
            chunks("9112 7.1.1: many extensions", String(repeating: "1;aaaaaaaaaaaaaaa\r\nx\r\n", count: 100), bad),
            chunks("9112 7.1.2: trailers", "1\r\na\r\n0\r\nX: y\r\nChecksum: z\r\n\r\n", "POST / keep a"),
            chunks("9112 7.1.2: trailers without end", "0\r\nX: y\r\n", "incomplete"),
            chunks("9112 7.1.2: a broken trailer", "0\r\nX : y\r\n\r\n", bad),
            chunks("9112 7.1.2: bare LF in the trailers", "0\r\n\n", bad),
            chunks(
                "9112 7.1.2: too many trailers", "0\r\nX: " + String(repeating: "y", count: 16384),
                "431 headers-too-large"),
        ]
        + ["Content-Length: 1", "transfer-encoding: x", "HOST: a", "Authorization: b", "Content-Type: c", "Trailer: d"]
        .map {
            chunks("9110 6.5.1: \($0) in the trailers", "0\r\n\($0)\r\n\r\n", bad)
        }
}
