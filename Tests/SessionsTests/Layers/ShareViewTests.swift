import JSON
import Security
import Sessions
import StoreHosting
import Stores
import Synchronization
import Testing

@Suite("The view of a share")
struct ShareViewTests {
    private static let kind = StoreDefinition("counter", "A count.", Count()) {
        Member("count", \.count)
        Action("increment", "Adds one.") { state in state.count += 1 }
    }.kind

    private struct Count: StoreValue {
        var count = 0
    }

    private let session = Session(
        .random(), KindRuntime(kind, .standard, SessionClock(WallClock()), nil), kind.makeStore(), journal: nil,
        createdAt: 0, historyID: "")

    private func share(_ generation: Int = 0, expiresIn milliseconds: Int = 3_600_000) -> Share {
        let expiresAt = session.now + milliseconds
        let terms = PermitTerms(
            id: "old", Permissions([.read, .act]), expiresAt: expiresAt, generation: generation)
        return Share(session.id, .sealed(terms), expiresAt: expiresAt)
    }

    private static let reading = SessionOperation.read(
        SessionOperation.Reading(selection: .root, revision: nil, conditions: .none))

    private static let action = SessionOperation.dispatch(
        ActionRequest(
            body: [], json: ["type": "increment"], selection: nil, expected: nil, isDryRun: false, key: nil, wait: nil,
            appliedPreference: nil, trace: nil, requestID: ""))

    private func revoke() { _ = PermitRevocation().perform(on: session) }

    @Test("passes a request on while the share is valid")
    func valid() async throws {
        let next = PlayedHandler()
        let handling = try ShareView(next: next).handle(SessionRequest(Self.reading, by: .permit(share())), session)
        _ = try await handling.value()
        #expect(next.requests == 1)
    }

    @Test("refuses a share that was revoked, or has expired, between the parsing of the request and its run")
    func revokedBefore() {
        let old = share()
        revoke()
        for permit in [old, share(1, expiresIn: 0)] {
            let next = PlayedHandler()
            let error = #expect(throws: SessionFailure.self) {
                _ = try ShareView(next: next).handle(SessionRequest(Self.reading, by: .permit(permit)), session)
            }
            #expect(isUnknown(error) && next.requests == 0)
        }
    }

    @Test("shows nothing if the share is revoked while the request waits")
    func revokedMeanwhile() async throws {
        let next = PlayedHandler { revoke() }
        let handling = try ShareView(next: next).handle(SessionRequest(Self.reading, by: .permit(share())), session)
        let error = await #expect(throws: SessionFailure.self) { _ = try await handling.value() }
        #expect(isUnknown(error) && next.requests == 1)
    }

    @Test("tells what an action has committed, although the share is revoked meanwhile")
    func revokedAction() async throws {
        let next = PlayedHandler { revoke() }
        let handling = try ShareView(next: next).handle(SessionRequest(Self.action, by: .permit(share())), session)
        #expect(try await handling.value().revision == 7)
    }

    @Test("tells nobody that a share is made or revoked whose session has ended meanwhile")
    func endedMeanwhile() async throws {
        let next = PlayedHandler { _ = session.end(at: 0) }
        let revocation = SessionRequest(.perform(PermitRevocation()), by: .capability)
        let handling = try ShareView(next: next).handle(revocation, session)
        let error = await #expect(throws: SessionFailure.self) { _ = try await handling.value() }
        let hasEnded = if case .absent(.endedMeanwhile)? = error { true } else { false }
        #expect(hasEnded && next.requests == 1)
    }

    @Test("passes on nothing that no share can do")
    func otherOperations() {
        let forbidden: [SessionOperation] = [
            .describe(.none), .log(ActionLogQuery(.after(0), limit: 1)),
            .fork(ForkRequest(revision: nil, client: RateLimits.Client(address: 1))), .end(.none),
            .recall(nil, revision: nil), .perform(PermitRevocation()),
        ]
        for operation in forbidden {
            let next = PlayedHandler()
            let error = #expect(throws: SessionFailure.self) {
                _ = try ShareView(next: next).handle(SessionRequest(operation, by: .permit(share())), session)
            }
            #expect(isUnknown(error) && next.requests == 0)
        }
    }

    @Test("gives the permit to those who ask it again once the session is used")
    func passesPermit() throws {
        let next = PlayedHandler()
        _ = try ShareView(next: next).handle(SessionRequest(Self.reading, by: .permit(share())), session)
        #expect(next.sawPermit)
    }

    private func isUnknown(_ failure: SessionFailure?) -> Bool {
        if case .permit(.unknown)? = failure { true } else { false }
    }
}

/// Answers each request later, and does something before.
private final class PlayedHandler: SessionHandler {
    private let count = Atomic(0)
    private let permits = Atomic(0)
    private let before: @Sendable () -> Void

    init(before: @escaping @Sendable () -> Void = {}) { self.before = before }

    var requests: Int { count.load(ordering: .relaxed) }

    var sawPermit: Bool { permits.load(ordering: .relaxed) > 0 }

    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        count.add(1, ordering: .relaxed)
        if request.permit != nil { permits.add(1, ordering: .relaxed) }
        return .later { [before] () async throws(SessionFailure) in
            before()
            return SessionResult(.done, of: session, at: 7)
        }
    }
}
