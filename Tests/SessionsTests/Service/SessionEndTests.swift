import Sessions
import StoreHosting
import Stores
import Testing

@Suite("The end of a session under a condition")
struct SessionEndTests {
    private struct Count: StoreValue {
        var count = 0
    }

    private static let kind = StoreDefinition("counter", "A count.", Count()) {
        Member("count", \.count)
        Action("increment", "Adds one.") { state in state.count += 1 }
    }.kind

    private static let atSeven = SessionOperation.end(
        .some(match: .some([RevisionSet.Name(number: 7, history: nil)]), noneMatch: nil))

    @Test("is refused in the state of the session")
    func refused() async throws {
        let engine = PlayedEngine(of: Self.kind)
        let session = engine.session()
        let result = try await engine.service.handle(SessionRequest(Self.atSeven, by: .capability), session).value()
        guard case .refused(.action(.mismatch(let revision, _))) = result.content else {
            Issue.record("not refused")
            return
        }
        #expect(revision == 0 && !session.hasEnded)
    }

    /// It may be at that revision where it continues.
    @Test("is not decided by the last state here of a session that continues elsewhere")
    func detached() async throws {
        let engine = PlayedEngine(of: Self.kind)
        let session = engine.session()
        #expect(session.detach())
        let handling = try engine.service.handle(SessionRequest(Self.atSeven, by: .capability), session)
        let error = await #expect(throws: SessionFailure.self) { _ = try await handling.value() }
        guard case .detached? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
