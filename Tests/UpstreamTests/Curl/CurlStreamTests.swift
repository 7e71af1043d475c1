import Curl
import Dispatch
import FaultyServices
import Locks
import RemoteServices
import Testing
import Upstream

/// A response that is read while it arrives.
@Suite(.timeLimit(.minutes(5))) struct CurlStreamTests {
    @Test func partsArriveBeforeTheEnd() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        let upstream = try FaultyUpstream(.send(head + "data: 1\n\n"), .hold, .send("data: 2\n\n"), .close)
        let url = try #require(HTTPURL(upstream.url))
        let text = Locked("")
        let request = CurlStream.Request(url: url, headers: ["Last-Event-ID": "h-1"], userAgent: "test/1")
        let response = try await reading(request) { head, part in
            text.withLock { $0 += String(decoding: part, as: UTF8.self) }
            // The second part is sent only after the first was read.
            upstream.release()
            return head.status == 200 && head.headers["content-type"] == "text/event-stream"
        }
        #expect(response.status == 200)
        #expect(text.withLock { $0 } == "data: 1\n\ndata: 2\n\n")
        let sent = upstream.record.requests
        #expect(sent.first?.field("Last-Event-ID") == "h-1")
        #expect(sent.first?.field("User-Agent") == "test/1")
    }

    @Test func theReaderCanEndIt() async throws {
        let upstream = try FaultyUpstream(.send("HTTP/1.1 200 OK\r\n\r\n"), .endless("data: 1\n\n"))
        let url = try #require(HTTPURL(upstream.url))
        let response = try await reading(CurlStream.Request(url: url, userAgent: "test")) { _, _ in false }
        #expect(response.status == 200)
    }

    @Test func aConnectionThatBreaksIsAFailure() async throws {
        let upstream = try FaultyUpstream(.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12"), .close)
        let url = try #require(HTTPURL(upstream.url))
        await #expect(throws: RemoteFailure.self) {
            try await reading(CurlStream.Request(url: url, userAgent: "test")) { _, _ in true }
        }
    }

    @Test func aServerThatIsSilentForTooLongIsGivenUp() async throws {
        let upstream = try FaultyUpstream(.send("HTTP/1.1 200 OK\r\n\r\n: 1\n"), .hold)
        let url = try #require(HTTPURL(upstream.url))
        let looks = Locked<[Duration]>([])
        let watchdog: @Sendable (Duration) -> Bool = { idleTime in
            looks.withLock { looks in
                looks.append(idleTime)
                return looks.count < 3
            }
        }
        let failure = await #expect(throws: RemoteFailure.self) {
            try await reading(
                CurlStream.Request(url: url, userAgent: "test"), watchdog: watchdog, sink: { _, _ in true })
        }
        #expect(failure?.code == .timeout)
        // A later look comes after a longer idle time, unless something came.
        #expect(looks.withLock { $0.count >= 3 && $0.allSatisfy { $0 >= .zero } })
    }

    @Test func aHeaderCannotHoldAnother() async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()))
        let url = try #require(HTTPURL(upstream.url))
        let request = CurlStream.Request(url: url, headers: ["A": "b\r\nC: d"], userAgent: "test")
        await #expect(throws: RemoteFailure.self) { try await reading(request) { _, _ in true } }
        #expect(upstream.record.connections == 0)
    }

    @Test func withoutTheLibraryItFails() throws {
        let url = try #require(HTTPURL("http://127.0.0.1:1"))
        let failure = #expect(throws: RemoteFailure.self) {
            try CurlStream.read(
                CurlStream.Request(url: url, userAgent: "test"),
                library: CurlLibrary(name: "libcurl-that-is-not-there.so")
            ) { _, _ in true }
        }
        #expect(failure?.message.contains("libcurl4") == true)
    }
}

/// Reads on a thread that is none of those that run the tests.
func reading(
    _ request: CurlStream.Request, watchdog: @escaping @Sendable (Duration) -> Bool = { _ in true },
    sink: @escaping @Sendable (RemoteResponse, [UInt8]) -> Bool
) async throws -> RemoteResponse {
    try await Promise.value { done in
        DispatchQueue(label: "reading").async {
            done(Result { try CurlStream.read(request, watchdog: watchdog, sink: sink) })
        }
    }.get()
}
