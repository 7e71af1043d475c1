/// A fault of a service, the result that the caller gets, and the number of requests that the service has received by
/// then.
package struct Fault: Sendable {
    package var name: String
    package var method = "GET"
    package var greeting: [FaultyUpstream.Step] = []
    package var turns: [[FaultyUpstream.Step]]
    package var outcome: String
    /// Nil where that is a matter of luck.
    package var requests: Int?
    /// Long, where it should not run out. Where it should, it may do so before the service has seen all the requests.
    package var timeout: Duration = .seconds(120)
}

extension Fault {
    private static let cut = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
    private static let soon: Duration = .milliseconds(150)
    /// Takes some minutes to drip.
    private static let endless = String(repeating: "x", count: 10_000)

    package static let broken: [Fault] = [
        Fault(name: "closes unanswered", turns: [[.close]], outcome: "unreachable", requests: 3),
        Fault(name: "resets", turns: [[.reset]], outcome: "unreachable", requests: 3),
        Fault(name: "resets, then answers", turns: [[.reset], [.send(Answer.ok())]], outcome: "200", requests: 2),
        Fault(name: "closes in the middle", turns: [[.send(cut), .close]], outcome: "unreachable", requests: 3),
        Fault(name: "resets in the middle", turns: [[.send(cut), .reset]], outcome: "unreachable", requests: 3),
        Fault(name: "closes unanswered", method: "POST", turns: [[.close]], outcome: "unreachable", requests: 1),
        Fault(name: "resets", method: "POST", turns: [[.reset]], outcome: "unreachable", requests: 1),
        Fault(
            name: "answers too little", method: "POST", turns: [[.send(cut), .close]], outcome: "unreachable",
            requests: 1),
        Fault(name: "closes at once", greeting: [.close], turns: [[]], outcome: "unreachable"),
    ]

    package static let late: [Fault] = [
        Fault(name: "hangs", turns: [[.hang]], outcome: "timeout", requests: 1, timeout: soon),
        Fault(name: "hangs", method: "POST", turns: [[.hang]], outcome: "timeout", requests: 1, timeout: soon),
        Fault(
            name: "hangs in the middle", turns: [[.send(cut), .hang]], outcome: "timeout", requests: 1, timeout: soon),
        Fault(
            name: "drips", turns: [[.drip("HTTP/1.1 200 OK\r\nX-More: " + endless)]], outcome: "timeout", requests: 1,
            timeout: soon),
        Fault(
            name: "drips its body",
            turns: [[.send("HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n{"), .drip(endless)]],
            outcome: "timeout", requests: 1, timeout: soon),
        Fault(
            name: "is slow, then fast", turns: [[.hang], [.send(Answer.ok())]], outcome: "timeout", requests: 1,
            timeout: soon),
        Fault(
            name: "is slow, but in time", turns: [[.drip(Answer.status(200)), .send(Answer.ok())]], outcome: "200",
            requests: 1),
        Fault(
            name: "asks for a while, then answers",
            turns: [[.send(Answer.status(429, "Retry-After: 1"))], [.send(Answer.ok())]], outcome: "200", requests: 2),
        Fault(
            name: "fails, then hangs", turns: [[.reset], [.hang]], outcome: "timeout", requests: 2, timeout: soon),
        Fault(
            name: "asks for more time than there is", turns: [[.send(Answer.status(503, "Retry-After: 600"))]],
            outcome: "503", requests: 1),
    ]

    package static let shapeless: [Fault] = [
        Fault(name: "garbage", turns: [[.send("what?\r\n\r\n"), .close]], outcome: "bad-body", requests: 1),
        Fault(name: "garbage at once", greeting: [.send("220 mail\r\n"), .close], turns: [[]], outcome: "bad-body"),
        Fault(
            name: "endless body",
            turns: [[.send("HTTP/1.1 200 OK\r\n\r\n"), .endless(String(repeating: " ", count: 9999))]],
            outcome: "too-large", requests: 1),
        Fault(
            name: "endless chunks",
            turns: [
                [
                    .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                    .endless("1000\r\n\(String(repeating: " ", count: 4096))\r\n"),
                ]
            ],
            outcome: "too-large", requests: 1),
        Fault(
            name: "a length beyond the limit", turns: [[.send("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n")]],
            outcome: "too-large", requests: 1),
        Fault(
            name: "endless headers",
            turns: [[.send("HTTP/1.1 200 OK\r\n"), .endless("X-More: \(String(repeating: "x", count: 999))\r\n")]],
            outcome: "too-large", requests: 1),
        Fault(
            name: "one endless header",
            turns: [[.send("HTTP/1.1 200 OK\r\nX-More: "), .endless(String(repeating: "x", count: 9999))]],
            outcome: "too-large", requests: 1),
        Fault(
            name: "endless interim answers", turns: [[.endless("HTTP/1.1 102 Processing\r\n\r\n")]],
            outcome: "too-large", requests: 1),
        Fault(
            name: "endless chunk extensions",
            turns: [
                [
                    .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;"),
                    .endless(String(repeating: "x", count: 9999)),
                ]
            ],
            outcome: "too-large", requests: 1),
        Fault(
            name: "tiny chunks with endless extensions",
            turns: [
                [
                    .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                    .endless("1;\(String(repeating: "x", count: 9999))\r\n \r\n"),
                ]
            ],
            outcome: "too-large", requests: 1),
        Fault(
            name: "endless trailers",
            turns: [
                [
                    .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"),
                    .endless("X-More: \(String(repeating: "x", count: 999))\r\n"),
                ]
            ],
            outcome: "too-large", requests: 1),
        Fault(name: "compressed", turns: [[.send(compressed(cat.count)), .bytes(cat)]], outcome: "200", requests: 1),
        Fault(
            name: "compressed badly", turns: [[.send(compressed(5)), .send("what?")]], outcome: "bad-body", requests: 1),
        Fault(
            name: "a bomb", turns: [[.send(compressed(bomb.count)), .bytes(bomb)]], outcome: "too-large", requests: 1),
    ]

    package static let statuses: [Fault] =
        [200, 204, 404, 429, 500, 501, 502, 503, 504].map { status in
            let isRetried = [429, 502, 503, 504].contains(status)
            return Fault(
                name: "\(status)", turns: [[.send(Answer.status(status))]], outcome: "\(status)",
                requests: isRetried ? 3 : 1)
        }
        + [429, 502, 503, 504].map { status in
            Fault(
                name: "\(status), then 200", turns: [[.send(Answer.status(status))], [.send(Answer.ok())]],
                outcome: "200", requests: 2)
        }
        + [302, 429, 503].map { status in
            Fault(
                name: "\(status)", method: "POST", turns: [[.send(Answer.status(status, "Location: /"))]],
                outcome: "\(status)", requests: 1)
        }

    package static let redirects: [Fault] =
        [301, 302, 303, 307, 308].map { status in
            Fault(
                name: "\(status), then 200",
                turns: [[.send(Answer.status(status, "Location: /there"))], [.send(Answer.ok())]],
                outcome: "200", requests: 2)
        }
        + [300, 304, 305].map { status in
            Fault(
                name: "\(status)",
                turns: [[.send("HTTP/1.1 \(status) No\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")]],
                outcome: "\(status)", requests: 1)
        }
        + ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "javascript:1"].map { location in
            Fault(
                name: "to \(location)", turns: [[.send(Answer.status(302, "Location: \(location)"))]],
                outcome: "bad-status", requests: 1)
        }
        + [
            Fault(name: "nowhere", turns: [[.send(Answer.status(302))]], outcome: "302", requests: 1),
            Fault(
                name: "for ever", turns: [[.send(Answer.status(302, "Location: /"))]],
                outcome: "bad-status", requests: 6),
            Fault(
                name: "five times",
                turns: [[Step]](repeating: [.send(Answer.status(302, "Location: /"))], count: 5)
                    + [[.send(Answer.ok())]],
                outcome: "200", requests: 6),
        ]

    private typealias Step = FaultyUpstream.Step

    private static func compressed(_ length: Int) -> String {
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(length)\r\n\r\n"
    }

    private static let cat: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 74, 204, 203, 204, 77, 204, 81, 178, 82, 114, 78, 44, 81, 170, 5, 0,
        207, 118, 88, 189, 16, 0, 0, 0,
    ]

    /// 2 000 000 zeros.
    private static let bomb: [UInt8] =
        [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 1, 1, 0, 0, 0, 130, 32, 255, 175, 110, 72, 64, 1]
        + [UInt8](repeating: 0, count: 1937)
        + [111, 6, 65, 29, 90, 66, 128, 132, 30, 0]
}
