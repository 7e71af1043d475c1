#if os(Linux)
    import Curl
    import FaultyServices
    import Locks
    import StorehouseClient
    import Testing

    @MainActor
    @Suite(.timeLimit(.minutes(5))) struct CurlTransportTests {
        private let listener = StreamListener()
        private nonisolated static let streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"

        private func open(_ transport: CurlTransport, _ url: String) -> any OpenStream {
            transport.open(ClientRequest("GET", url)) { [listener] in listener.hear($0) }
        }

        private func failure(
            of request: ClientRequest, _ settings: CurlTransport.Settings = CurlTransport.Settings()
        ) async -> String {
            let transport = CurlTransport(settings)
            do throws(TransportFailure) {
                return "status \(try await transport.send(request).status)"
            } catch {
                return error.description
            }
        }

        @Test func aRequestIsSentAsItIs() async throws {
            let answer = Answer.status(409, "X-One: 1", "X-One: 2", "ETag: \"1\"", body: "no")
            let upstream = try FaultyUpstream(.send(answer))
            let response = try await CurlTransport().send(
                ClientRequest(
                    "PUT", upstream.url + "a?b=c", headers: ["Content-Type": "application/json", "X-Empty": ""],
                    body: Array("{}".utf8)))
            #expect(response.status == 409)
            #expect(response.headers["x-one"] == "1, 2")
            #expect(response.headers["etag"] == "\"1\"")
            #expect(response.body == Array("no".utf8))
            let request = try #require(upstream.record.requests.first)
            #expect(request.line == "PUT /a?b=c HTTP/1.1")
            #expect(request.field("Content-Type") == "application/json")
            #expect(request.field("X-Empty") == "")
            #expect(request.field("Expect") == nil)
            #expect(request.field("User-Agent") == "storehouse-client")
            #expect(request.body == "{}")
        }

        @Test(arguments: ["GET", "POST", "DELETE"]) func aRequestNeedsNoBody(_ method: String) async throws {
            let upstream = try FaultyUpstream(.send(Answer.ok()))
            let response = try await CurlTransport().send(ClientRequest(method, upstream.url))
            #expect(response.status == 200)
            #expect(upstream.record.requests.first?.line == "\(method) / HTTP/1.1")
            #expect(upstream.record.requests.first?.field("Content-Type") == nil)
        }

        @Test func aConnectionIsUsedAgain() async throws {
            let upstream = try FaultyUpstream(.send(Answer.ok()))
            let transport = CurlTransport()
            for _ in 0..<3 { _ = try await transport.send(ClientRequest("GET", upstream.url)) }
            #expect(upstream.record.connections == 1)
        }

        @Test func manyRequestsAreCarriedAtOnce() async throws {
            let upstream = try FaultyUpstream { [.send(Answer.ok($0.line))] }
            let transport = CurlTransport()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let response = try await transport.send(ClientRequest("GET", upstream.url + "\(number)"))
                        #expect(response.body == Array("GET /\(number) HTTP/1.1".utf8))
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test func aRedirectIsNotFollowed() async throws {
            let upstream = try FaultyUpstream(.send(Answer.status(307, "Location: http://127.0.0.1:1/")))
            let response = try await CurlTransport().send(ClientRequest("GET", upstream.url))
            #expect(response.status == 307)
            #expect(response.headers["location"] == "http://127.0.0.1:1/")
            #expect(upstream.record.requests.count == 1)
        }

        @Test func failuresHaveReadableReasons() async throws {
            let garbage = try FaultyUpstream(.send("what?\r\n\r\n"), .close)
            #expect(await failure(of: ClientRequest("GET", garbage.url)) == "the response is not valid HTTP")
            let silent = try FaultyUpstream(.close)
            #expect(await failure(of: ClientRequest("GET", silent.url)) == "the connection broke before the response")
            let short = try FaultyUpstream(.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12"), .close)
            #expect(
                await failure(of: ClientRequest("GET", short.url))
                    == "the connection broke in the middle of the response")
            #expect(await failure(of: ClientRequest("GET", "http://127.0.0.1:1/")).contains("127.0.0.1 port 1"))
            #expect(await failure(of: ClientRequest("GET", "ftp://127.0.0.1/")).contains("ftp"))
            let header = ClientRequest("GET", silent.url, headers: ["Authorization": "secret\r\nA: b"])
            #expect(await failure(of: header) == "the header 'Authorization' cannot be sent")
        }

        @Test func aResponseBeyondTheLimitIsGivenUp() async throws {
            var settings = CurlTransport.Settings()
            settings.maxBodyBytes = 10
            let long = try FaultyUpstream(.send("HTTP/1.1 200 OK\r\n\r\n"), .endless("0123456789"))
            #expect(
                await failure(of: ClientRequest("GET", long.url), settings) == "the response has more than 10 bytes")
            let head = try FaultyUpstream(.send("HTTP/1.1 200 OK\r\n"), .endless("X-More: 0123456789\r\n"))
            #expect(
                await failure(of: ClientRequest("GET", head.url), settings)
                    == "the head of the response has more than 65536 bytes")
        }

        @Test func withoutTheLibraryARequestFails() async {
            var settings = CurlTransport.Settings()
            settings.library = CurlLibrary(name: "libcurl-that-is-not-there.so")
            let request = ClientRequest("GET", "http://127.0.0.1:1/")
            #expect(await failure(of: request, settings).contains("libcurl4"))
        }

        @Test func aCancelledRequestClosesItsConnection() async throws {
            let upstream = try FaultyUpstream(.hang)
            let transport = CurlTransport()
            let task = Task { () async throws -> ClientResponse in
                try await transport.send(ClientRequest("GET", upstream.url))
            }
            await upstream.until { $0.requests.count == 1 }
            task.cancel()
            await #expect(throws: TransportFailure("the request was cancelled")) { try await task.value }
            await upstream.until { $0.ended == 1 }
        }

        @Test func aTaskThatIsCancelledBeforeSendsNothing() async throws {
            let upstream = try FaultyUpstream(.send(Answer.ok()))
            let transport = CurlTransport()
            let task = Task { @MainActor () async throws -> ClientResponse in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.send(ClientRequest("GET", upstream.url + "cancelled"))
            }
            await #expect(throws: TransportFailure.self) { try await task.value }
            _ = try await transport.send(ClientRequest("GET", upstream.url))
            #expect(upstream.record.requests.map(\.line) == ["GET / HTTP/1.1"])
        }

        // MARK: Streams

        @Test func partsAreHeardWhileTheyArrive() async throws {
            let upstream = try FaultyUpstream(
                .send(Self.streamHead + "Connection: close\r\n\r\ndata: 1\n\n"), .hold, .send("data: 2\n\n"), .close)
            let transport = CurlTransport()
            let stream = open(transport, upstream.url)
            await listener.until { $0.count > 1 }
            #expect(
                listener.parts.first
                    == .head(status: 200, headers: ["content-type": "text/event-stream", "connection": "close"]))
            #expect(listener.text == "data: 1\n\n")
            upstream.release()
            await listener.untilEnd()
            #expect(listener.text == "data: 1\n\ndata: 2\n\n")
            #expect(listener.parts.last == .end(nil))
            stream.close()
        }

        @Test func onlyTheFinalHeadIsHeard() async throws {
            let upstream = try FaultyUpstream(
                .send("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"),
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .send("2\r\nab\r\n1\r\nc\r\n0\r\nX-Trailer: t\r\n\r\n"))
            let transport = CurlTransport()
            _ = open(transport, upstream.url)
            await listener.untilEnd()
            #expect(listener.parts.first == .head(status: 200, headers: ["transfer-encoding": "chunked"]))
            #expect(listener.text == "abc")
            #expect(listener.parts.filter { if case .head = $0 { true } else { false } }.count == 1)
        }

        @Test func aStreamThatBreaksSaysSo() async throws {
            let upstream = try FaultyUpstream(.send(Self.streamHead + "Content-Length: 100\r\n\r\n12"), .close)
            let transport = CurlTransport()
            _ = open(transport, upstream.url)
            await listener.untilEnd()
            #expect(
                listener.parts.last == .end(TransportFailure("the connection broke in the middle of the response")))
        }

        @Test func aStreamThatIsClosedIsNotHeardAnyMore() async throws {
            let upstream = try FaultyUpstream(.send(Self.streamHead + "\r\n"), .endless("data: 1\n\n"))
            let transport = CurlTransport()
            let stream = open(transport, upstream.url)
            await listener.until { $0.count > 1 }
            stream.close()
            let heard = listener.parts.count
            await upstream.until { $0.ended == 1 || $0.open == 0 }
            // One thread carries both, and this came behind the stream.
            let other = try FaultyUpstream(.send(Answer.ok()))
            _ = try await transport.send(ClientRequest("GET", other.url))
            #expect(listener.parts.count == heard)
        }

        @Test func aSlowListenerStopsTheServer() async throws {
            let event = String(repeating: "x", count: 65_536)
            let count = 200
            let upstream = try FaultyUpstream { _ in
                [.send(Self.streamHead + "Content-Length: \(count * 65_536)\r\n\r\n")]
                    + [FaultyUpstream.Step](repeating: .send(event), count: count)
            }
            var settings = CurlTransport.Settings()
            settings.maxUnheardBytes = 100_000
            let transport = CurlTransport(settings)
            var (total, longest) = (0, 0)
            listener.onPart = { part in
                guard case .bytes(let bytes) = part else { return }
                total += bytes.count
                longest = max(longest, bytes.count)
            }
            _ = open(transport, upstream.url)
            await listener.untilEnd()
            #expect(total == count * 65_536)
            #expect(longest < 100_000 + 2 * 65_536)
        }

        @Test func aRequestIsCarriedBesideAPausedStream() async throws {
            let upstream = try FaultyUpstream(.send(Self.streamHead + "\r\n"), .endless("data: 1\n\n"))
            var settings = CurlTransport.Settings()
            settings.maxUnheardBytes = 1
            let transport = CurlTransport(settings)
            let stream = open(transport, upstream.url)
            let other = try FaultyUpstream(.send(Answer.ok()))
            #expect(try await transport.send(ClientRequest("GET", other.url)).status == 200)
            await listener.until { $0.count > 5 }
            stream.close()
        }

        // MARK: The end

        @Test func aTransportThatIsReleasedEndsAll() async throws {
            let upstream = try FaultyUpstream(.send(Self.streamHead + "\r\n: 1\n"), .hold)
            var transport: CurlTransport? = CurlTransport()
            let stream = transport.map { open($0, upstream.url) }
            await listener.until { $0.count > 1 }
            transport = nil
            await listener.untilEnd()
            #expect(listener.parts.last == .end(TransportFailure("the transport has ended")))
            await upstream.until { $0.ended == 1 }
            stream?.close()
        }

        @Test func connectionsEndAfterAWhileWithoutRequests() async throws {
            let upstream = try FaultyUpstream(.send(Answer.ok()))
            var settings = CurlTransport.Settings()
            settings.idleTime = .milliseconds(1)
            let transport = CurlTransport(settings)
            for number in 1...3 {
                _ = try await transport.send(ClientRequest("GET", upstream.url))
                await upstream.until { $0.ended == number }
            }
        }
    }
#endif
