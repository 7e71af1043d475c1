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

    private static let failure = RemoteFailure(
        .unreachable, "animal cannot be reached: libcurl is not installed (Debian: libcurl4)")
}
