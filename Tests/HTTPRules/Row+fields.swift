extension Row {
    static let fieldLines: [Row] = [
        fields("9112 5: white space around the value", "X: \t a b\t ", "GET / keep"),
        fields("9112 5: an empty value", "X:", "GET / keep"),
        fields("9110 5.5: beyond ASCII", "X: é", "GET / keep"),
        fields("9112 5.1: a space before the colon", "X : a", bad),
        fields("9112 5.1: a tab before the colon", "X\t: a", bad),
        fields("9112 5.2: folded lines", "X: a\r\n b", bad),
        fields("9112 5.2: folded with a tab", "X: a\r\n\tb", bad),
        fields("9112 2.2: bare LF in a field", "X: a\nY: b", bad),
        fields("9112 2.2: bare CR in a field", "X: a\rY: b", bad),
        fields("9110 5.5: NUL in a value", "X: a\u{0}b", bad),
        fields("9110 5.5: a control character in a value", "X: a\u{1}b", bad),
        fields("9110 5.5: DEL in a value", "X: a\u{7F}b", bad),
        fields("9110 5.5: a late control character", "X: 0123456789abcdefghij\u{8}", bad),
        fields("9110 5.6.2: a name is a token", "X(Y): a", bad),
        fields("9110 5.6.2: a name beyond ASCII", "é: a", bad),
        fields("9112 5: no name", ": a", bad),
        fields("9112 5: no colon", "X", bad),
        fields("9110 5.6.2: a control character in a name", "X\u{1}: a", bad),
        fields("9110 5.6.2: NUL in a name", "X\u{0}Y: a", bad),
        fields("9110 5.6.2: a line end in a name", "X\r\nY: a", bad),
        fields("9110 5.5: a vertical tab in a value", "X: a\u{B}b", bad),
        fields("9110 5.5: a value of white space", "X: \t \t", "GET / keep"),
        fields("9112 5.2: a line of white space", "X: a\r\n \r\nY: b", bad),
        fields("9110 5.3: a name may stand twice", "X: a\r\nX: b", "GET / keep"),
        Row("9112 2.2: a bare LF ends the section", "GET / HTTP/1.1\r\nHost: a\r\n\n", bad),
        Row("9112 2.2: a bare CR ends the section", "GET / HTTP/1.1\r\nHost: a\r\n\rX", bad),
        Row("9112 5: the section has no end", "GET / HTTP/1.1\r\nHost: a\r\n", "incomplete"),
    ]

    static let connections: [Row] = [
        fields("9112 9.6: close", "Connection: close", "GET / close"),
        fields("9112 9.6: close in capitals and a list", "Connection: foo, CLOSE", "GET / close"),
        fields("9112 9.3: close wins", "Connection: keep-alive, close", "GET / close"),
        fields("9112 9.3: close wins over a later line", "Connection: close\r\nConnection: keep-alive", "GET / close"),
        fields("9110 7.6.1: other options", "Connection: upgrade,, x", "GET / keep"),
        fields("9110 7.6.1: options are tokens", "Connection: a b", bad),
        fields("9110 7.6.1: options are not quoted", "Connection: \"close\"", bad),
        fields("9112 9.3: 1.1 stays", "Connection: keep-alive", "GET / keep"),
        fields("9110 7.8: an upgrade is passed over", "Connection: upgrade\r\nUpgrade: h2c", "GET / keep"),
        Row(
            "9112 9.3: 1.0 closes when both are asked", "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
            "GET / close"),
        Row(
            "9112 C.2.2: an option for proxies is nothing", "GET / HTTP/1.0\r\nProxy-Connection: keep-alive\r\n\r\n",
            "GET / close"),
        Row("9112 9.3: 1.0 closes", "GET / HTTP/1.0\r\nHost: a\r\n\r\n", "GET / close"),
        Row(
            "9112 9.3: 1.0 stays when asked", "GET / HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n",
            "GET / keep"),
        Row(
            "9112 9.6: bytes after close are nothing",
            "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /1 close"),
        Row(
            "9110 10.1.1: 100-continue",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\nx",
            "POST / keep continue x"),
        Row(
            "9110 10.1.1: asked twice, answered once",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nExpect: 100-continue\r\n"
                + "Content-Length: 1\r\n\r\nx",
            "POST / keep continue x"),
        Row(
            "9110 10.1.1: before chunks",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1\r\nx\r\n0\r\n\r\n",
            "POST / keep continue x"),
        Row(
            "9110 10.1.1: not before what is refused",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 65537\r\n\r\n",
            "413 body-too-large"),
        fields("9110 10.1.1: nothing to continue with", "Expect: 100-continue", "GET / keep"),
        fields("9110 10.1.1: an empty body", "Expect: 100-continue\r\nContent-Length: 0", "GET / keep"),
        fields(
            "9110 10.1.1: one expectation that is met, one that is not",
            "Expect: 100-continue, tea\r\nConnection: close",
            "417 expectation-failed"),
        Row(
            "9110 10.1.1: ignored of a 1.0 client",
            "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx", "POST / close x"),
        Row(
            "9110 10.1.1: another expectation, and a body that nobody knows to come",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 1\r\n\r\nx", "417 expectation-failed"),
        Row(
            "9110 10.1.1: another expectation without a body leaves the connection sound",
            "GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
            "417 expectation-failed", "GET /2 keep"),
        Row(
            "9110 10.1.1: another expectation, and the client closes",
            "GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
            "417 expectation-failed"),
    ]
}
