import Curl
import FaultyServices
import Locks
import RemoteServices
import Stores
import Testing
import Upstream

/// Calls where the system has no libcurl.
@Suite(.timeLimit(.minutes(5))) struct MissingLibraryTests {
    @Test func everyCallFailsAndTheReasonIsLoggedOnce() async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()))
        let warnings = Locked([String]())
        let upstreams = try CurlUpstreams(
            library: CurlLibrary(name: "libcurl-that-is-not-there.so") { warning in
                warnings.withLock { $0.append(warning) }
            }, userAgent: "test")
        let client = try upstreams.client(for: UpstreamSettings(name: "animal", url: upstream.url))
        for _ in 0..<3 {
            await #expect(throws: Self.failure) { try await client.call(RemoteRequest()) }
        }
        await upstreams.shutdown()
        let said = warnings.withLock { $0 }
        #expect(said.count == 1)
        #expect(said.first?.contains("libcurl4") == true)
        #expect(said.first?.contains("libcurl-that-is-not-there.so") == true)
        #expect(upstream.record.connections == 0)
    }

    /// The system does not find the library then, although it is there. A later call finds it.
    @Test func withoutFreeDescriptorsTheReasonIsTrue() async throws {
        let upstream = try FaultyUpstream(.send(Answer.ok()))
        let warnings = Locked([String]())
        let upstreams = try CurlUpstreams(
            library: CurlLibrary(
                name: "libcurl-that-is-not-there.so", warn: { warning in warnings.withLock { $0.append(warning) } },
                hasFreeDescriptor: { false }), userAgent: "test")
        var settings = UpstreamSettings(name: "animal", url: upstream.url)
        settings.retries = 0
        let client = try upstreams.client(for: settings)
        for _ in 0..<2 {
            await #expect(throws: Self.noDescriptors) { try await client.call(RemoteRequest()) }
        }
        await upstreams.shutdown()
        let logged = warnings.withLock { $0 }
        #expect(logged.count == 1)
        #expect(logged.first?.contains("libcurl4") == false)
        #expect(logged.first?.contains("too many open files") == true)
        #expect(CurlLibrary.canOpenFile())
    }

    private static let noDescriptors = RemoteFailure(
        .unreachable, "animal cannot be reached: the server has too many open files")

    private static let failure = RemoteFailure(
        .unreachable, "animal cannot be reached: libcurl is not installed (Debian: libcurl4)")
}
