import Foundation
import Security
import Sessions
import StoreHosting
import Stores
import Testing

@Suite("A long body", .timeLimit(.minutes(5)))
struct LongBodiesTests {
    private enum Failure: Error { case noDocument }

    private struct Count: StoreValue {
        var count = 0
    }

    private static let kind = StoreDefinition("counter", "A count.", Count()) { Member("count", \.count) }.kind

    /// Work on a large state is done on the same threads.
    @Test("that takes long to read holds up no work on the state")
    func beside() async throws {
        let engine = PlayedEngine(of: Self.kind)
        let session = engine.session(byteCount: 1 << 20)
        let (start, hasStarted) = AsyncStream.makeStream(of: Void.self)
        let end = DispatchSemaphore(value: 0)
        let body = SyncBody(
            client: "kJ2vQ5Zr8mXw1bTn3yLd7A", isNew: false, from: 1, entries: [SyncBody.Entry([], ifMatch: nil, nil)])
        let sync = try SyncRequest(Array("{}".utf8), nil, trace: nil, requestID: "") { _ in
            hasStarted.finish()
            end.wait()
            return body
        }
        let answer = Task { try await engine.handle(SessionRequest(.sync(sync), by: .capability), session).value() }
        for await _ in start {}
        let reading = SessionOperation.Reading(selection: .root, revision: nil, conditions: .none)
        let read = try await engine.handle(SessionRequest(.read(reading), by: .capability), session).value()
        end.signal()
        guard case .document = read.content else { throw Failure.noDocument }
        await #expect(throws: SessionFailure.self) { try await answer.value }
    }
}
